import { readUpTo } from '../../core/async/read-up-to.ts'
import type { Semaphore } from '../../core/async/semaphore.ts'
import { Failure } from '../../core/errors.ts'
import type { NetworkKind, QuorumRule } from '../../core/network.ts'
import { judgeError } from '../../core/rpc/error-classes.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import { answerMeaning, errorMeaning } from '../../core/rpc/quorum/answer-meaning.ts'
import { openQuorumCount, type QuorumCount } from '../../core/rpc/quorum/quorum-count.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { isFull, pick, TIER_MAX } from '../pool/selection.ts'
import { requestFrom } from '../pool/upstream-pool.ts'

export type Vote = {
  upstream: Upstream
  answer: PoolAnswer
  reply: NodeResult | NodeError
  /** The node stood at the agreed head before and after the call. */
  standsAtHead: boolean
  /** Worked out when two answers are not of one text. */
  meaning: string | null
}

type QuorumCall = {
  rule: QuorumRule
  call: PoolCall
  /** How many long answers may be held for comparison at once. */
  large: Semaphore
  /** Called with an answer unlike the agreed ones, when these are known. */
  dissented(vote: Vote, agreed: readonly Vote[]): void
}

type Voting = QuorumCall & {
  pool: UpstreamPool
  tried: Upstream[]
  /** Upstreams whose answer, or whose turn to be asked, is still to come. */
  awaited: number
  count: QuorumCount<Vote>
  /** The word of a node that could not answer, in case that no other can. */
  fallback: PoolAnswer | null
  timedOut: boolean
  tooLarge: boolean
  isOver: boolean
  resolve(answer: PoolAnswer): void
  reject(failure: Failure): void
}

/** An answer must be held whole in order to be compared, so there is a limit to that. */
const COMPARED_BYTES_MAX = 4 * 1024 * 1024

/** An undecided vote does not wait for a slow node for longer than this before it asks one more. */
const LATE_MS = 1000

/** Upstreams that have no place free are looked at so often, and for so long. */
const PLACE_EVERY_MS = 20
const PLACE_LOOKS_MAX = 250

/**
 * Asks several upstreams at once and answers what enough of them agree on, as soon as they do.
 * One that fails or cannot answer is replaced by another. Throws a Failure when they disagree.
 */
export function askQuorum(pool: UpstreamPool, asked: QuorumCall): Promise<PoolAnswer> {
  return new Promise<PoolAnswer>((resolve, reject) => {
    const { kind } = pool.network
    const count = openQuorumCount<Vote>(asked.rule.agree, (a, b) => areAlike(kind, a, b))
    const open = { tried: [], awaited: 0, fallback: null, timedOut: false, tooLarge: false }
    const voting: Voting = { pool, ...asked, ...open, count, isOver: false, resolve, reject }
    for (let place = 0; place < asked.rule.of; place++) askNext(voting)
    decide(voting)
    pool.clock.after(LATE_MS, () => {
      if (!voting.isOver) askNext(voting)
    })
  })
}

function askNext(voting: Voting, looksLeft = PLACE_LOOKS_MAX): void {
  const { pool, call, tried } = voting
  const { selection, clock } = pool
  const next =
    pick(selection, call, tried, TIER_MAX.good) ?? pick(selection, call, tried, TIER_MAX.answering)
  if (next) {
    voting.awaited++
    tried.push(next)
    void ask(voting, next)
    return
  }
  const isWorthWaiting = selection.upstreams.some(
    (one) => one.chain !== 'wrong' && !tried.includes(one) && isFull(one, call),
  )
  if (!isWorthWaiting || looksLeft === 0 || voting.isOver) return
  voting.awaited++
  clock.after(PLACE_EVERY_MS, () => {
    voting.awaited--
    if (!voting.isOver) askNext(voting, looksLeft - 1)
    decide(voting)
  })
}

async function ask(voting: Voting, upstream: Upstream): Promise<void> {
  const { pool, call, large } = voting
  const { selection } = pool
  const headBefore = standingOf(upstream, selection.head?.hash)
  let answer: PoolAnswer | null = null
  let reply: NodeResult | NodeError | null = null
  try {
    answer = await requestFrom(pool, upstream, call)
    reply = await collectAnswer(large, answer)
    voting.tooLarge ||= reply === null
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    voting.timedOut ||= thrown.code === 'upstream_timed_out'
  }
  voting.awaited--
  if (answer === null || reply === null) return abstain(voting)
  const { class: verdict } =
    reply.kind === 'error' ? judgeError(pool.network.kind, reply, call) : { class: 'caller' }
  if (verdict !== 'caller') {
    voting.fallback = { ...answer, reply }
    return abstain(voting)
  }
  const standsAtHead = headBefore && standingOf(upstream, selection.head?.hash)
  const vote = { upstream, answer: { ...answer, reply }, reply, standsAtHead, meaning: null }
  cast(voting, vote)
}

/** An answer as it can be compared; null for one that is too large or no JSON. */
async function collectAnswer(
  large: Semaphore,
  { reply }: PoolAnswer,
): Promise<NodeResult | NodeError | null> {
  if (!('stream' in reply)) return reply
  const release = await large.acquire()
  try {
    const bytes = release && (await readUpTo(reply.stream, COMPARED_BYTES_MAX))
    if (!bytes) return null
    const text = bytes.toString('utf8')
    const value: unknown = JSON.parse(text)
    if (reply.kind === 'stream') return { kind: 'result', text, value }
    return { kind: 'error', text, code: reply.code, message: '' }
  } catch {
    // It broke off on the way, or is no JSON.
    return null
  } finally {
    release?.()
    reply.stream.cancel().catch(() => {})
  }
}

function standingOf({ head }: Upstream, hash: string | undefined): boolean {
  return hash !== undefined && head?.hash === hash
}

function cast(voting: Voting, vote: Vote): void {
  const { count } = voting
  const isDecisive = count.add(vote)
  const { agreed } = count
  if (isDecisive && agreed?.[0]) {
    voting.isOver = true
    voting.resolve(agreed[0].answer)
    for (const other of count.dissenting()) voting.dissented(other, agreed)
    return
  }
  if (!agreed) decide(voting)
  else if (!agreed.includes(vote)) voting.dissented(vote, agreed)
}

function abstain(voting: Voting): void {
  if (voting.isOver) return
  askNext(voting)
  decide(voting)
}

/** Ends a vote that can no longer be won. */
function decide(voting: Voting): void {
  const { count, awaited, isOver, fallback } = voting
  if (isOver || (awaited > 0 && count.canAgree(awaited))) return
  voting.isOver = true
  // Nodes that cannot answer have not disagreed: their own word is passed on.
  if (count.sides === 0 && fallback) voting.resolve(fallback)
  else voting.reject(undecided(voting))
}

function undecided({ count, awaited, timedOut, tooLarge }: Voting): Failure {
  if (count.sides > 1) return new Failure('upstream_disagreed', { reason: 'disagree' })
  if (tooLarge) return new Failure('upstream_disagreed', { reason: 'too_large' })
  if (count.sides + awaited > 0) return new Failure('upstream_disagreed', { reason: 'too_few' })
  return new Failure(timedOut ? 'upstream_timed_out' : 'upstream_unreachable')
}

/** Two nodes of one make spell an answer alike, so that most need no closer look. */
function areAlike(kind: NetworkKind, one: Vote, other: Vote): boolean {
  if (one.reply.kind !== other.reply.kind) return false
  return one.reply.text === other.reply.text || meaningOf(kind, one) === meaningOf(kind, other)
}

function meaningOf(kind: NetworkKind, vote: Vote): string {
  const { reply } = vote
  vote.meaning ??=
    reply.kind === 'error' ? errorMeaning(reply.text) : answerMeaning(kind, reply.text)
  return vote.meaning
}
