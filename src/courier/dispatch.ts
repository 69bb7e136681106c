import type { Egress } from '../ports/egress.ts'
import type { Signals } from '../ports/signals.ts'
import type { World } from '../ports/world.ts'
import type { KnownNumbers } from '../tables/chain/known-numbers.ts'
import { openDispatchLoop } from './dispatch-loop.ts'
import { probeTripped } from './schedule/allocate-slots.ts'
import { openOldestWaiting } from './schedule/oldest-waiting.ts'
import { type OwnedWebhooks, openOwnedWebhooks } from './schedule/owned-webhooks.ts'
import { enlist, isScheduled, openSchedule, type Schedule } from './schedule/schedule.ts'
import { openWebhookSettings } from './schedule/webhook-settings.ts'
import { type DeliveryNotes, openDeliveryNotes } from './send/delivery-notes.ts'
import { type Finished, openGroupCommit } from './send/group-commit.ts'
import { openResultCache } from './send/result-cache.ts'
import type { ShardLease } from './upkeep/shard-lease.ts'

type Options = {
  egress: Egress
  known: Pick<KnownNumbers, 'note'>
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  lease: Pick<ShardLease, 'owns' | 'outlastsAttempt' | 'renewing' | 'fenced' | 'settled'>
  /** Told of the teams that something was billed to, after the commit. */
  billed(teamIds: ReadonlySet<string>): void
  failed(thrown: unknown): void
}

type Parts = { schedule: Schedule; notes: DeliveryNotes; webhooks: OwnedWebhooks }

/** Sends what the webhooks of our shards have to send, as far as their hosts can take it. */
export type Dispatch = ReturnType<typeof openDispatch>

export function openDispatch(world: World, options: Options) {
  const { clock, database, telemetry } = world
  const { lease, billed } = options
  const { owns } = lease
  let isStopped = false
  const schedule = openSchedule()
  const notes = openDeliveryNotes(telemetry, schedule)
  const webhookSettings = openWebhookSettings(world, schedule)
  const results = openResultCache(database)
  const oldest = openOldestWaiting(world)
  const webhooks = openOwnedWebhooks({ clock, schedule, webhookSettings, results, oldest, owns })
  const commits = openGroupCommit(world, {
    renewing: lease.renewing,
    fenced: lease.fenced,
    written(group, missed) {
      const teamIds = afterCommit(world, { schedule, notes, webhooks }, group, missed)
      if (teamIds.size > 0) billed(teamIds)
      lease.settled()
      loop.run()
    },
  })
  const loop = openDispatchLoop({
    ...options,
    world,
    schedule,
    notes,
    results,
    webhookSettings,
    isStopped: () => isStopped,
    unwritten: commits.unwritten,
    maySend: () => !isStopped && lease.outlastsAttempt(),
    finished: ({ webhook }, outcome) => commits.push({ webhook, outcome }),
  })

  return {
    webhooks,
    run: loop.run,
    /** Finds out which webhooks were changed by others. */
    async refresh() {
      webhooks.changed(await webhookSettings.changes())
      loop.run()
    },
    /** Gives hosts with an open breaker, and outcomes that the store refused, their next chance. */
    probe() {
      probeTripped(schedule, clock.monotonicMs())
      loop.run()
    },
    /** The shards are another's: everything is dropped, and what is in flight will not count. */
    drop() {
      webhooks.dropAll()
      commits.discard()
    },
    /** Starts nothing more; ends when everything in flight has ended and is committed. */
    async finish() {
      isStopped = true
      await loop.rest()
      await commits.flush()
    },
    /** Does not wait any longer. */
    close() {
      commits.close()
      notes.stop()
      oldest.stop()
    },
  }
}

/** The teams that something was billed to. */
function afterCommit(
  { clock, signals }: World,
  { schedule, notes, webhooks }: Parts,
  group: readonly Finished[],
  missed: ReadonlySet<number>,
): Set<string> {
  const nowMs = clock.nowMs()
  const teamIds = new Set<string>()
  let at = 0
  tellOfGone(signals, webhooks, group)
  for (const { webhook, outcome } of group) {
    const { event, next, bill } = outcome
    const counts = !missed.has(at++)
    if (!counts) notes.lost()
    else if (bill) teamIds.add(bill.teamId)
    if (!isScheduled(schedule, webhook)) continue
    // The sweep may have passed that moment before it was written. What was changed meanwhile
    // may be due as it is now.
    const again = !counts || (next.kind === 'retry' && next.dueAtMs <= nowMs)
    webhooks.settled(webhook, event, again)
    if (again || webhook.queue.isOrdered) enlist(schedule, webhook)
  }
  return teamIds
}

/** Webhooks whose destination is gone were paused, unless they lead elsewhere by now. */
function tellOfGone(signals: Signals, webhooks: OwnedWebhooks, group: readonly Finished[]): void {
  const gone = group.filter(({ outcome }) => outcome.gone !== null)
  if (gone.length === 0) return
  webhooks.changed(gone.map(({ webhook }) => webhook.number))
  signals.publish('webhooks', '')
}
