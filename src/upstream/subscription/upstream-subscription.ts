import { openBackoff } from '../../core/async/backoff.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { withoutCredentials } from '../node/without-credentials.ts'

type UpstreamSubscriptionNeeds = { clock: Clock; sockets: Sockets; telemetry: Telemetry }

export type SubscriptionConnection = {
  readonly upstream: Upstream
  send(text: string): void
  /** The upstream has granted everything that was subscribed to. */
  established(): void
  /** Gives the connection up. The first reason counts, and no message follows. */
  end(reason: string): void
}

/** The exchange of messages on one connection, made anew for each. */
export type SubscriptionSession = {
  /** True once the upstream has sent something that was subscribed to. */
  readonly hasDelivered: boolean
  opened(): void
  received(text: string): void
  /** Called every second once the session is established, to end a connection gone silent. */
  checkSilence(): void
  /** Called once. The reason is `stopped` when the subscription itself was stopped. */
  ended(reason: string): void
}

type SubscriptionOptions<Session extends SubscriptionSession> = {
  network: string
  /** Names the log's lines about the connection. */
  logEvent: string
  /** The longest that an upstream may take from dialling to `established`. */
  handshakeMsMax: number
  messageCharsMax: number
  /** The upstream to connect to after this one; null while none has a socket. */
  nextUpstream(previous: Upstream | null): Upstream | null
  openSession(connection: SubscriptionConnection): Session
}

export type UpstreamSubscription<Session extends SubscriptionSession> = ReturnType<
  typeof openUpstreamSubscription<Session>
>

type Connection<Session> = {
  session: Session
  isEstablished: boolean
  /** Why it is given up; null while it is not. */
  fault: string | null
  end(reason: string): void
}

type Listener = {
  established(): void
  /** Called once. `isProven`: the connection has delivered, and has lasted. */
  ended(reason: string, isProven: boolean): void
}

const RECONNECT_LIMITS = { minMs: 500, maxMs: 30_000 }

/** A connection that lasted this long is replaced at once when it breaks. */
const PROVEN_MS = 30_000

const CHECK_EVERY_MS = 1000

/** Keeps a WebSocket subscription open, reconnecting later and later while it fails. */
export function openUpstreamSubscription<Session extends SubscriptionSession>(
  needs: UpstreamSubscriptionNeeds,
  options: SubscriptionOptions<Session>,
) {
  const { clock } = needs
  const logState = openStateLog(needs.telemetry, options)
  const backoff = openBackoff(RECONNECT_LIMITS)
  let upstream: Upstream | null = null
  let connection: Connection<Session> | null = null
  let cancelWait = () => {}
  let isStopped = false

  const reconnectLater = (reason: string, isProven: boolean) => {
    connection = null
    if (isStopped) return
    logState(upstream, 'lost', reason)
    if (isProven) backoff.reset()
    cancelWait = clock.after(backoff.nextMs(), connect)
  }

  const connect = () => {
    upstream = options.nextUpstream(upstream)
    if (upstream === null) return reconnectLater('no_socket', false)
    connection = openConnection(needs, options, upstream, {
      established: () => logState(upstream, 'open', null),
      ended: reconnectLater,
    })
  }

  connect()
  return {
    /** The session of the current connection; null while none is established. */
    get session(): Session | null {
      const isUsable = connection?.isEstablished && connection.fault === null
      return connection && isUsable ? connection.session : null
    },
    stop(): void {
      isStopped = true
      cancelWait()
      connection?.end('stopped')
    },
  }
}

/** Logs once that it is open, and once for each upstream that it is lost, not every attempt. */
function openStateLog(telemetry: Telemetry, options: { network: string; logEvent: string }) {
  const { network, logEvent } = options
  const lost = new Set<Upstream | null>()
  return (upstream: Upstream | null, state: 'open' | 'lost', reason: string | null) => {
    if (state === 'open') lost.clear()
    else if (lost.has(upstream)) return
    else lost.add(upstream)
    const fields = { network, upstream: upstream?.spec.name ?? null, state, reason }
    telemetry.log(state === 'open' ? 'info' : 'warn', logEvent, fields)
  }
}

function openConnection<Session extends SubscriptionSession>(
  { clock, sockets }: UpstreamSubscriptionNeeds,
  options: SubscriptionOptions<Session>,
  upstream: Upstream,
  listener: Listener,
): Connection<Session> {
  const { handshakeMsMax, messageCharsMax, openSession } = options
  const startedAtMs = clock.monotonicMs()
  const ageMs = () => clock.monotonicMs() - startedAtMs

  const end = (reason: string) => {
    connection.fault ??= reason
    socket.close()
  }
  const established = () => {
    if (connection.isEstablished || connection.fault !== null) return
    connection.isEstablished = true
    listener.established()
  }
  const send = (text: string) => socket.send(text)
  const session = openSession({ upstream, send, established, end })
  const connection: Connection<Session> = { session, isEstablished: false, fault: null, end }

  const stopChecks = clock.every(CHECK_EVERY_MS, () => {
    if (connection.isEstablished) session.checkSilence()
    else if (ageMs() >= handshakeMsMax) end('no_answer')
  })
  const { ws = '', headers = {} } = upstream.spec
  const request = { ...withoutCredentials(ws, headers), messageCharsMax }
  const socket = sockets.open(request, {
    opened: () => session.opened(),
    received(text) {
      if (connection.fault === null) session.received(text)
    },
    closed(reason) {
      stopChecks()
      connection.fault ??= reason
      session.ended(connection.fault)
      listener.ended(connection.fault, session.hasDelivered && ageMs() >= PROVEN_MS)
    },
  })
  return connection
}
