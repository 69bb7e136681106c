import { Failure } from '../../core/errors.ts'
import { quantityToNumber } from '../../core/hex.ts'
import {
  isDropped,
  readOutcome,
  readSenderNonce,
  type SenderNonce,
  UNSEEN_MS_MAX,
} from '../../core/rpc/sends/transaction-state.ts'
import type { SentChange } from '../../tables/sent/sent-transactions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { askUpstream } from '../../upstream/pool/ask-upstream.ts'
import { sendTransaction } from '../../upstream/sends/send-transaction.ts'
import { askEach } from './ask-each.ts'

/** A transaction that waits to be mined. */
export type Awaited = {
  hash: string
  /** The app that sent it here; null where it was taken over. */
  app: string | null
  /** When a node last had it, or when it was sent. */
  seenAtMs: number
  lookedAtMs: number
  /** Known once a node had it in its pool. */
  sender: SenderNonce | null
  replacedRounds: number
  /** The transaction itself; null where this process does not have it. */
  raw: string | null
  sentAgainAtMs: number
}

type Service = Pick<NetworkService, 'pool' | 'methods' | 'sent'>

/** Pools are looked into less often than there are blocks. */
const LOOK_EVERY_MS = 20_000

/** A transaction that no pool has is sent again so often, so many of them in one round. */
const AGAIN_EVERY_MS = 60_000
const AGAIN_MAX = 20

/** Searches at all nodes in one round; the others come later. */
const SEARCHES_MAX = 20

/** Asks what became of these transactions. Those that still wait are not in the answer. */
export async function checkTransactions(
  service: Service,
  awaited: readonly Awaited[],
): Promise<SentChange[]> {
  const receipts = await askEach(
    service,
    awaited.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const changes: SentChange[] = []
  const unmined: Awaited[] = []
  for (const [at, one] of awaited.entries()) {
    const outcome = readOutcome(receipts[at])
    if (outcome) changes.push({ hash: one.hash, ...outcome })
    // Where no node answered, nothing is known.
    else if (receipts[at] === null) unmined.push(one)
  }
  const nowMs = service.pool.clock.nowMs()
  const due = unmined.filter(({ lookedAtMs }) => nowMs - lookedAtMs >= LOOK_EVERY_MS)
  if (due.length > 0) changes.push(...(await lookFor(service, due, nowMs)))
  return changes
}

/** Looks for transactions without a receipt: in pools, and for others in their place. */
async function lookFor(
  service: Service,
  due: readonly Awaited[],
  nowMs: number,
): Promise<SentChange[]> {
  const found = await askEach(
    service,
    due.map(({ hash }) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
  )
  for (const [at, one] of due.entries()) {
    one.lookedAtMs = nowMs
    if (found[at] === undefined || found[at] === null) continue
    one.seenAtMs = nowMs
    one.sender = readSenderNonce(found[at])
    one.replacedRounds = 0
  }
  const lost = due.filter((_, at) => found[at] === null)
  await countReplaced(service, lost)
  sendAgain(
    service,
    lost.filter(({ replacedRounds }) => replacedRounds === 0),
    nowMs,
  )
  const dropped: SentChange[] = []
  let searches = 0
  for (const one of lost) {
    const unseenMs = nowMs - one.seenAtMs
    const isSearched = unseenMs >= UNSEEN_MS_MAX && ++searches <= SEARCHES_MAX
    const isNowhere = isSearched && (await isGoneEverywhere(service, one.hash))
    if (!isDropped({ replacedRounds: one.replacedRounds, unseenMs, isNowhere })) continue
    dropped.push({ hash: one.hash, state: 'dropped', blockNumber: null })
  }
  return dropped
}

/** Nodes forget what they took, when they restart or their pools overflow. Nobody waits for it. */
function sendAgain(service: Service, lost: readonly Awaited[], nowMs: number): void {
  const due = lost.filter(({ sentAgainAtMs }) => nowMs - sentAgainAtMs >= AGAIN_EVERY_MS)
  for (const one of due.slice(0, AGAIN_MAX)) {
    one.sentAgainAtMs = nowMs
    if (one.raw === null) continue
    const params = [one.raw]
    const method = 'eth_sendRawTransaction'
    const of = service.methods.find(method)
    const paramsText = JSON.stringify(params)
    const call = { method, of, params, paramsText, atHead: false, heightMin: null }
    sendTransaction(service, call, null).catch(() => {})
  }
}

/** The nonce of a transaction that no node has was used by another one. */
async function countReplaced(service: Service, lost: readonly Awaited[]): Promise<void> {
  const known = lost.flatMap((one) => (one.sender ? [{ one, sender: one.sender }] : []))
  const counts = await askEach(
    service,
    known.map(({ sender }) => ({
      method: 'eth_getTransactionCount',
      params: [sender.from, 'latest'],
    })),
  )
  for (const [at, { one, sender }] of known.entries()) {
    const count = quantityToNumber(counts[at])
    one.replacedRounds = count !== null && count > sender.nonce ? one.replacedRounds + 1 : 0
  }
}

/** Every node that can be asked says that it has not got it. */
async function isGoneEverywhere(service: Service, hash: string): Promise<boolean> {
  const { stateOf, upstreams } = service.pool.selection
  const used = upstreams.filter((upstream) => stateOf.get(upstream) !== 'excluded')
  for (const upstream of used) {
    try {
      const answer = await askUpstream(service, upstream, 'eth_getTransactionByHash', [hash])
      if (answer.kind !== 'result' || answer.value !== null) return false
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      return false
    }
  }
  return used.length > 0
}
