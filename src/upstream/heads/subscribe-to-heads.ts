import { quantityToNumber } from '../../core/hex.ts'
import { isJsonObject, parseJson } from '../../core/json/json-value.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { headInBlock } from '../node/node-head.ts'
import type { Selection } from '../pool/selection.ts'
import {
  openUpstreamSubscription,
  type SubscriptionConnection,
  type SubscriptionSession,
} from '../subscription/upstream-subscription.ts'
import type { OpenHeadFeed } from './head-feed.ts'

type HeadMessage =
  /** The answer to a call of ours; `result` is undefined where it was refused. */
  { kind: 'answer'; id: number; result: unknown } | HeadAnnounced

type HeadAnnounced = { kind: 'head'; subscription: string; block: unknown }

type HeadSession = {
  selection: Selection
  feed: OpenHeadFeed
  connection: SubscriptionConnection
  /** The socket may lead elsewhere than the address that polls ask, so it is asked by itself. */
  isChainRight: boolean
  subscription: string | null
  /** A first head may overtake the answer that names its subscription. */
  early: HeadAnnounced | null
  headsReceived: number
  /** The upstream's head when this connection last announced one. */
  headHash: string | undefined
  missingSinceMs: number | null
}

/** From dialling to the subscription. */
const HANDSHAKE_MS_MAX = 10_000

/** Many times the longest header of any chain. */
const MESSAGE_CHARS_MAX = 1024 * 1024

/** A connection that announces nothing for this long while the chain moves on is dead. */
const SILENCE_MS_MIN = 30_000
const SILENCE_BLOCKS = 4

const CHAIN_CALL_ID = 1
const SUBSCRIBE_CALL_ID = 2
const CHAIN_CALL = callText(CHAIN_CALL_ID, 'eth_chainId', [])
const SUBSCRIBE_CALL = callText(SUBSCRIBE_CALL_ID, 'eth_subscribe', ['newHeads'])

/**
 * Subscribes to new heads at each upstream that has a socket; returns how to stop. Polls go on
 * beside it, so that a socket that lies or sleeps delays a head and hides none.
 */
export function subscribeToHeads(
  telemetry: Telemetry,
  sockets: Sockets,
  selection: Selection,
  feed: OpenHeadFeed,
): () => void {
  const { clock, network } = selection
  const able = selection.upstreams.filter(
    ({ spec }) => network.kind === 'evm' && spec.ws !== undefined,
  )
  const subscriptions = able.map((upstream) =>
    openUpstreamSubscription(
      { clock, sockets, telemetry },
      {
        network: network.id,
        logEvent: 'head_socket',
        handshakeMsMax: HANDSHAKE_MS_MAX,
        messageCharsMax: MESSAGE_CHARS_MAX,
        nextUpstream: () => upstream,
        openSession: (connection) => openHeadSession(selection, feed, connection),
      },
    ),
  )
  return () => {
    for (const subscription of subscriptions) subscription.stop()
  }
}

function openHeadSession(
  selection: Selection,
  feed: OpenHeadFeed,
  connection: SubscriptionConnection,
): SubscriptionSession {
  const session: HeadSession = {
    selection,
    feed,
    connection,
    isChainRight: selection.network.chainId === undefined,
    subscription: null,
    early: null,
    headsReceived: 0,
    headHash: undefined,
    missingSinceMs: null,
  }
  return {
    get hasDelivered() {
      return session.headsReceived > 0
    },
    opened() {
      connection.send(CHAIN_CALL)
      connection.send(SUBSCRIBE_CALL)
    },
    received(text) {
      const message = readHeadMessage(text)
      if (message?.kind === 'answer') takeAnswer(session, message.id, message.result)
      if (message?.kind === 'head') takeHead(session, message)
    },
    checkSilence: () => checkSilence(session),
    ended() {},
  }
}

/** Null for anything else: it must not disturb us, whatever is at the other end. */
export function readHeadMessage(text: string): HeadMessage | null {
  const message = parseJson(text)
  if (!isJsonObject(message)) return null
  if (message.method === 'eth_subscription') {
    const { params } = message
    if (!isJsonObject(params) || typeof params.subscription !== 'string') return null
    return { kind: 'head', subscription: params.subscription, block: params.result }
  }
  if (typeof message.id !== 'number') return null
  const refused = message.error !== undefined && message.error !== null
  return { kind: 'answer', id: message.id, result: refused ? undefined : message.result }
}

function takeAnswer(session: HeadSession, id: number, result: unknown): void {
  const { connection, selection } = session
  if (isSubscribed(session)) return
  if (id === CHAIN_CALL_ID && !session.isChainRight) {
    session.isChainRight = quantityToNumber(result) === selection.network.chainId
    if (!session.isChainRight) connection.end(result === undefined ? 'refused' : 'wrong_chain')
  }
  if (id === SUBSCRIBE_CALL_ID && session.subscription === null) {
    if (typeof result === 'string') session.subscription = result
    else connection.end('refused')
  }
  if (!isSubscribed(session)) return
  session.headHash = connection.upstream.head?.hash
  connection.established()
  if (session.early) takeHead(session, session.early)
  session.early = null
}

function takeHead(session: HeadSession, message: HeadAnnounced): void {
  const { connection, feed } = session
  const { clock } = session.selection
  const { upstream } = connection
  if (!isSubscribed(session)) session.early = message
  if (!isSubscribed(session) || message.subscription !== session.subscription) return
  const head = headInBlock(message.block, clock.nowMs())
  if (!head || head.parentHash === null) return
  session.headsReceived++
  session.missingSinceMs = null
  feed.note(upstream, head, clock.monotonicMs())
  session.headHash = upstream.head?.hash
}

/** A head that only polls saw is missing here. A chain without new blocks is no silence. */
function checkSilence(session: HeadSession): void {
  const { clock, network } = session.selection
  const { connection } = session
  const { upstream } = connection
  const nowMs = clock.monotonicMs()
  session.headHash ??= upstream.head?.hash
  if (upstream.head?.hash === session.headHash) return
  session.missingSinceMs ??= nowMs
  const silenceMs = Math.max(SILENCE_MS_MIN, network.blockTimeMs * SILENCE_BLOCKS)
  if (nowMs - session.missingSinceMs >= silenceMs) connection.end('silent')
}

function isSubscribed({ isChainRight, subscription }: HeadSession): boolean {
  return isChainRight && subscription !== null
}

function callText(id: number, method: string, params: readonly string[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
