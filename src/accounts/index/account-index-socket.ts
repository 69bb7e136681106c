import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'
import { withoutCredentials } from '../../upstream/node/without-credentials.ts'
import {
  type IndexConnection,
  type IndexConnectionListener,
  MESSAGE_CHARS_MAX,
  openIndexConnection,
} from './account-index-connection.ts'

type Needs = { clock: Clock; sockets: Sockets; telemetry: Telemetry }

/** The connection to whichever upstream tells of changes now. */
export type IndexSocket = {
  /** Null while there is none on which everything is told. */
  readonly connection: IndexConnection | null
  stop(): void
}

/** The listener for every connection; `ended` when everything must be verified anew. */
export type IndexSocketListener = Omit<IndexConnectionListener, 'ended'> & {
  ended(reason: string): void
}

const RECONNECT_MS_MIN = 500
const RECONNECT_MS_MAX = 30_000
/** An upstream that keeps a connection up for so long is dialled at once when it breaks. */
const PROVEN_MS = 30_000
/** How often it is looked whether the connection is still alive. */
const CHECK_EVERY_MS = 1_000
/** A connection that says nothing for so long, while the ledger has moved on so far, is dead. */
const SILENCE_MS = 15_000
const SILENCE_SLOTS = 32

/** Keeps one connection open, to one upstream after the other while they fail. */
export function keepIndexSocket(
  needs: Needs,
  service: NetworkService,
  programs: readonly Uint8Array[],
  listener: IndexSocketListener,
): IndexSocket {
  const { clock, telemetry } = needs
  const network = service.network.id
  let connection: IndexConnection | null = null
  let last: Upstream | null = null
  let waitMs = RECONNECT_MS_MIN
  let cancel = () => {}
  let isStopped = false
  let told = ''
  let clockAtMs = 0
  let clockSlot = 0

  const tell = (state: 'open' | 'lost', reason: string | null) => {
    if (told === `${state} ${reason}`) return
    told = `${state} ${reason}`
    const fields = { network, upstream: last?.spec.name ?? null, state, reason }
    telemetry.log(state === 'open' ? 'info' : 'warn', 'account_index_socket', fields)
  }

  const again = (reason: string, lastedMs: number) => {
    connection = null
    if (isStopped) return
    tell('lost', reason)
    listener.ended(reason)
    if (lastedMs >= PROVEN_MS) waitMs = RECONNECT_MS_MIN
    cancel = clock.after(waitMs, connect)
    waitMs = Math.min(RECONNECT_MS_MAX, waitMs * 2)
  }

  const connect = () => {
    const upstream = nextUpstream(service, last)
    last = upstream
    if (upstream?.spec.ws === undefined) return again('no_socket', 0)
    const address = withoutCredentials(upstream.spec.ws, upstream.spec.headers ?? {})
    const request = { ...address, messageCharsMax: MESSAGE_CHARS_MAX }
    connection = openIndexConnection(needs, request, programs, {
      ...listener,
      covered(slot) {
        tell('open', null)
        listener.covered(slot)
      },
      clock(slot, unixTimestamp) {
        clockSlot = slot
        clockAtMs = clock.monotonicMs()
        return listener.clock(slot, unixTimestamp)
      },
      ended: again,
    })
  }

  const check = () => {
    if (connection?.completeAfterSlot == null || clock.monotonicMs() - clockAtMs < SILENCE_MS)
      return
    const head = service.pool.selection.head?.number ?? 0
    if (head > clockSlot + SILENCE_SLOTS) connection.end('silent')
  }
  const stopChecks = clock.every(CHECK_EVERY_MS, check)
  connect()

  return {
    get connection() {
      return connection?.completeAfterSlot == null ? null : connection
    },
    stop() {
      isStopped = true
      stopChecks()
      cancel()
      connection?.end('stopped')
    },
  }
}

/** The next one after the last, those in use first; the same again when there is no other. */
function nextUpstream({ pool }: NetworkService, last: Upstream | null): Upstream | null {
  const { upstreams, stateOf } = pool.selection
  const able = upstreams.filter(({ spec, chain }) => spec.ws !== undefined && chain !== 'wrong')
  const used = able.filter((upstream) => stateOf.get(upstream) === 'used')
  const choice = used.length > 0 ? used : able
  const at = last === null ? -1 : choice.indexOf(last)
  return choice[(at + 1) % choice.length] ?? null
}
