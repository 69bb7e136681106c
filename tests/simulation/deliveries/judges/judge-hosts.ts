import {
  type HostHealth,
  limitNow,
  newHostHealth,
  noteOutcome,
} from '../../../../src/core/delivery/host-health.ts'
import type { Life } from '../../process-life.ts'
import { complain, type DeliveryRun, isPrompt, type Post } from '../delivery-run.ts'

/** Keeps what one courier should know of each host of each team by now. */
export type HostJudge = { started(post: Post): void; ended(post: Post): void }

type Watched = { health: HostHealth; inFlight: number }

/**
 * A host that is given up is left alone, and none gets more than it can take. To be opened
 * when the courier starts, since that is where its clock begins.
 */
export function openHostJudge(run: DeliveryRun): HostJudge {
  const openedMs = run.clock.elapsedMs()
  const watched = new Map<string, Watched>()
  const watch = ({ webhookId, url }: Post): Watched => {
    const team = run.book.webhooks.get(webhookId)?.row.team_id
    const key = `${team} ${new URL(url).origin}`
    const known = watched.get(key)
    if (known) return known
    const made = { health: newHostHealth(), inFlight: 0 }
    watched.set(key, made)
    return made
  }
  return {
    started(post) {
      const { life, host, startedMs } = post
      const { health, inFlight } = watch(post)
      watch(post).inFlight += 1
      const limit = limitNow(health, startedMs - openedMs)
      if (inFlight < limit || !isPrompt(run.plan) || mayForget(run, life)) return
      complain(run, `${life.name} has ${inFlight} on their way to ${host}, which takes ${limit}`)
    },
    ended(post) {
      const { startedMs, seen } = post
      const { health } = watch(post)
      watch(post).inFlight -= 1
      const { status, fault } = seen ?? { status: null, fault: null }
      const startedAtMs = startedMs - openedMs
      noteOutcome(health, { status, fault, startedAtMs }, run.clock.elapsedMs() - openedMs)
    },
  }
}

/**
 * A host that no webhook of ours leads to any more is forgotten, and begins anew. Whose machine
 * has slept has another time.
 */
function mayForget({ book, plan, couriers }: DeliveryRun, { name }: Life): boolean {
  if (plan.couriers.length > 1 || couriers.get(name)?.sleptMs !== 0) return true
  return [...book.webhooks.values()].some(
    ({ row, versions }) =>
      row.state === 'deleted' || versions.some((one) => one.row.url !== row.url),
  )
}
