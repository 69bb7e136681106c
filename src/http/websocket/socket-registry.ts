import { edgeRefusal, type RequestEdge } from '../../core/access/access-rules.ts'
import { Rejection } from '../../core/errors.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { SpendGuard } from '../../metering/spend-guard.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { authorize, type CallerNeeds, findCaller } from '../rpc/find-caller.ts'
import type { CloseReason } from './close-reason.ts'
import type { SocketConnection } from './socket-connection.ts'

type Needs = CallerNeeds & {
  clock: Pick<Clock, 'every' | 'monotonicMs' | 'sleep'>
  telemetry: Pick<Telemetry, 'log' | 'count' | 'gauge'>
  guard: Pick<SpendGuard, 'capacity'>
  networkBySlug(slug: string): NetworkService | undefined
  publicUrl: string
}

/** A connection with the words it came in by. The key or token is never shown. */
type Registered = {
  connection: SocketConnection
  id: string
  credential: string
  edge: RequestEdge
  slug: string
  openedAtMs: number
}

export type SocketRegistry = ReturnType<typeof openSocketRegistry>

/** A key that was revoked, or a token that has expired, closes its connections within a second. */
const LOOK_EVERY_MS = 500

const STOP_LOOK_MS = 10

const STOPPED = 'The service is about to stop; please connect again.'
const CHANGED = 'The network was configured anew; please connect again.'
const REMOVED = 'The network is not served any more.'

export function openSocketRegistry(needs: Needs) {
  const { clock, telemetry } = needs
  const open = new Map<SocketConnection, Registered>()
  let stopping = false

  const sum = (count: (one: SocketConnection) => number) => () => {
    let total = 0
    for (const one of open.keys()) total += count(one)
    return total
  }
  const forget = [
    telemetry.gauge('headgate_websocket_connections', {}, () => open.size),
    telemetry.gauge(
      'headgate_subscriptions',
      {},
      sum((one) => one.subscriptionCount()),
    ),
    clock.every(LOOK_EVERY_MS, () => {
      for (const one of open.values()) void look(needs, one)
    }),
  ]

  return {
    get isStopping() {
      return stopping
    },
    add(one: Registered) {
      open.set(one.connection, one)
      const { caller, service } = one.connection
      const who = { network: service.network.id, app: caller.app.id }
      telemetry.log('info', 'websocket_opened', { connection: one.id, ...who })
    },
    ended(connection: SocketConnection, reason: CloseReason) {
      const one = open.get(connection)
      if (!open.delete(connection) || !one) return
      telemetry.count('headgate_websocket_closes_total', { reason })
      logEnd(needs, one, reason)
    },
    /** Has each client finish what is under way and connect elsewhere; takes at most `graceMs`. */
    async stop(graceMs: number) {
      stopping = true
      for (const one of open.keys()) void one.drain('stopped', STOPPED)
      const untilMs = clock.monotonicMs() + graceMs
      while (open.size > 0 && clock.monotonicMs() < untilMs) await clock.sleep(STOP_LOOK_MS)
      // Answers that have not come by now are given up.
      for (const one of open.keys()) one.close('stopped', STOPPED)
      for (const end of forget) end()
    },
  }
}

/** Ends a connection whose key, network or month is gone. */
async function look(needs: Needs, one: Registered): Promise<void> {
  const { connection, credential, edge } = one
  const caller = await findCaller(needs, credential, edge)
  const gone = lookAtNetwork(needs, one) ?? lookAtCaller(needs, one, caller)
  if (gone) connection.close(...gone)
}

/** A connection is ended for this reason, with these words; null: it is not. */
type Verdict = [reason: CloseReason, text: string] | null

function lookAtNetwork(needs: Needs, { connection, slug }: Registered): Verdict {
  const service = needs.networkBySlug(slug)
  if (!service) return ['revoked', REMOVED]
  // A subscription lives with the upstreams that it was made over.
  const isBound = connection.subscriptionCount() > 0
  if (service !== connection.service && isBound) return ['network_changed', CHANGED]
  connection.service = service
  return null
}

function lookAtCaller(
  needs: Needs,
  { connection, edge }: Registered,
  caller: Caller | Rejection,
): Verdict {
  if (caller instanceof Rejection) {
    return caller.code === 'upstream_failed' ? null : ['revoked', caller.message]
  }
  connection.caller = caller
  const { rules } = caller
  const barred = authorize(needs, caller, connection.service) ?? (rules && edgeRefusal(rules, edge))
  if (barred) return ['revoked', barred.message]
  const isFed = connection.subscriptionCount() > 0
  const spent = isFed ? needs.guard.capacity(caller.account) : null
  return spent && ['capacity', spent.message]
}

function logEnd({ clock, telemetry }: Needs, one: Registered, reason: CloseReason): void {
  const { caller, service, counts } = one.connection
  const usual = reason === 'client' || reason === 'stopped'
  telemetry.log(usual ? 'info' : 'warn', 'websocket_closed', {
    connection: one.id,
    network: service.network.id,
    app: caller.app.id,
    reason,
    frames: counts.frames,
    notifications: counts.notifications,
    ms: Math.round(clock.monotonicMs() - one.openedAtMs),
  })
}
