import type { Semaphore } from '../../core/async/semaphore.ts'
import { Failure } from '../../core/errors.ts'
import type { QuorumRule } from '../../core/network.ts'
import { judgeError } from '../../core/rpc/error-classes.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import { openQuorumCount, type QuorumCount } from '../../core/rpc/quorum/quorum-count.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { isFull, pick, TIER_MAX } from '../pool/selection.ts'
import { requestFrom } from '../pool/upstream-pool.ts'
import { collectAnswer } from './collect-answer.ts'
import { areAlike, type Vote, voteOf } from './quorum-vote.ts'

export type QuorumNeeds = {
  pool: UpstreamPool
  /** How many long answers may be held for comparison at once. */
  large: Semaphore
  /** Called with an answer unlike the agreed ones, when these are known. */
  dissented(vote: Vote, agreed: readonly Vote[]): void
}

type QuorumCall = { rule: QuorumRule; call: PoolCall; height: number | null }

/** One call that is put to the vote. */
type Voting = QuorumNeeds &
  QuorumCall & {
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

/** An undecided vote does not wait for a slow node for longer than this before it asks one more. */
const LATE_MS = 1000

/** Upstreams that have no place free are looked at so often, and for so long. */
const PLACE_EVERY_MS = 20
const PLACE_LOOKS_MAX = 250

/**
 * Asks several upstreams at once and answers what enough of them agree on, as soon as they do.
 * One that fails or cannot answer is replaced by another. Throws a Failure when they disagree.
 */
export function askQuorum(needs: QuorumNeeds, asked: QuorumCall): Promise<PoolAnswer> {
  return new Promise<PoolAnswer>((resolve, reject) => {
    const { kind } = needs.pool.network
    const count = openQuorumCount<Vote>(asked.rule.agree, (a, b) => areAlike(kind, a, b))
    const open = { tried: [], awaited: 0, fallback: null, timedOut: false, tooLarge: false }
    const voting: Voting = { ...needs, ...asked, ...open, count, isOver: false, resolve, reject }
    for (let place = 0; place < asked.rule.of; place++) askNext(voting)
    decide(voting)
    needs.pool.clock.after(LATE_MS, () => {
      if (!voting.isOver) askNext(voting)
    })
  })
}

/** Asks the next best upstream, or waits for a place at one. */
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
  cast(voting, voteOf({ upstream, answer: { ...answer, reply }, reply, standsAtHead }))
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
