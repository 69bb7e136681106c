import { quantityToNumber } from '../../core/hex.ts'
import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SocketRequest, Sockets } from '../../ports/sockets.ts'
import { headInBlock } from '../node/seen-head.ts'
import type { Upstream } from '../node/upstream.ts'
import type { OpenHeadFeed } from './head-feed.ts'
import { type HeadMessage, readHeadMessage } from './head-message.ts'

type Needs = { clock: Clock; sockets: Sockets; network: Network; feed: OpenHeadFeed }

type Hearer = {
  subscribed(): void
  /** Called once. `proven`: it has brought heads, and for a while. */
  ended(reason: string, proven: boolean): void
}

type HeadAnnounced = Extract<HeadMessage, { kind: 'head' }>

type Line = Needs & {
  upstream: Upstream
  hearer: Hearer
  openedAtMs: number
  /** The socket may lead elsewhere than the address that polls ask, so it is asked by itself. */
  chainRight: boolean
  subscription: string | null
  /** A first head may overtake the answer that tells whose it is. */
  early: HeadAnnounced | null
  headsHeard: number
  /** The upstream's head when this line last spoke. */
  headHash: string | undefined
  missingSinceMs: number | null
  end(reason: string): void
}

/** From dialling to the subscription. */
const HANDSHAKE_MS_MAX = 10_000
/** A line that says nothing for so long while the chain moves on is dead. */
const SILENCE_MS_MIN = 30_000
const SILENCE_BLOCKS = 4
const CHECK_EVERY_MS = 1000
/** Whoever keeps up a line for so long is called back at once when it breaks. */
const PROVEN_MS = 30_000

const CHAIN_CALL_ID = 1
const SUBSCRIBE_CALL_ID = 2
const CHAIN_CALL = callText(CHAIN_CALL_ID, 'eth_chainId', [])
const SUBSCRIBE_CALL = callText(SUBSCRIBE_CALL_ID, 'eth_subscribe', ['newHeads'])

/** One connection that announces an upstream's new heads, until it ends. */
export function openHeadLine(
  needs: Needs,
  upstream: Upstream,
  request: SocketRequest,
  hearer: Hearer,
): { close(): void } {
  const { clock, network } = needs
  const line: Line = {
    ...needs,
    upstream,
    hearer,
    openedAtMs: clock.monotonicMs(),
    chainRight: network.chainId === undefined,
    subscription: null,
    early: null,
    headsHeard: 0,
    headHash: undefined,
    missingSinceMs: null,
    end(reason) {
      fault ??= reason
      socket.close()
    },
  }
  let fault: string | null = null
  const stopChecks = clock.every(CHECK_EVERY_MS, () => check(line))
  const socket = needs.sockets.open(request, {
    opened() {
      socket.send(CHAIN_CALL)
      socket.send(SUBSCRIBE_CALL)
    },
    heard(text) {
      const message = readHeadMessage(text)
      if (message?.kind === 'answer') answered(line, message.id, message.result)
      if (message?.kind === 'head') announced(line, message)
    },
    closed(reason) {
      stopChecks()
      const lastedMs = clock.monotonicMs() - line.openedAtMs
      hearer.ended(fault ?? reason, line.headsHeard > 0 && lastedMs >= PROVEN_MS)
    },
  })
  return { close: () => socket.close() }
}

function answered(line: Line, id: number, result: unknown): void {
  if (isSubscribed(line)) return
  if (id === CHAIN_CALL_ID && !line.chainRight) {
    line.chainRight = quantityToNumber(result) === line.network.chainId
    if (!line.chainRight) line.end(result === undefined ? 'refused' : 'wrong_chain')
  }
  if (id === SUBSCRIBE_CALL_ID && line.subscription === null) {
    if (typeof result === 'string') line.subscription = result
    else line.end('refused')
  }
  if (!isSubscribed(line)) return
  line.headHash = line.upstream.head?.hash
  line.hearer.subscribed()
  if (line.early) announced(line, line.early)
  line.early = null
}

function announced(line: Line, message: HeadAnnounced): void {
  const { clock, upstream } = line
  if (!isSubscribed(line)) line.early = message
  if (!isSubscribed(line) || message.subscription !== line.subscription) return
  const head = headInBlock(message.block, clock.nowMs())
  if (!head || head.parentHash === null) return
  line.headsHeard++
  line.missingSinceMs = null
  line.feed.note(upstream, head, clock.monotonicMs())
  line.headHash = upstream.head?.hash
}

/** A head that only polls saw is missing here. A chain without new blocks is no silence. */
function check(line: Line): void {
  const { clock, network, upstream } = line
  const nowMs = clock.monotonicMs()
  if (!isSubscribed(line)) {
    if (nowMs - line.openedAtMs >= HANDSHAKE_MS_MAX) line.end('no_answer')
    return
  }
  line.headHash ??= upstream.head?.hash
  if (upstream.head?.hash === line.headHash) return
  line.missingSinceMs ??= nowMs
  const silenceMs = Math.max(SILENCE_MS_MIN, network.blockTimeMs * SILENCE_BLOCKS)
  if (nowMs - line.missingSinceMs >= silenceMs) line.end('silent')
}

function isSubscribed({ chainRight, subscription }: Line): boolean {
  return chainRight && subscription !== null
}

function callText(id: number, method: string, params: readonly string[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
