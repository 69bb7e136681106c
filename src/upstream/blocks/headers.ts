import { within } from '../../core/async/within.ts'
import type { Header } from '../../core/chain/block.ts'
import type { Votes } from '../../core/chain/votes.ts'
import { Failure } from '../../core/errors.ts'
import { numberToQuantity } from '../../core/hex.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { verifiedHeader } from '../answers/block-verifying.ts'
import { givesHeaders, noteHeaderRead } from '../node/active-health.ts'
import type { Upstream } from '../node/upstream.ts'
import { askUpstream } from '../pool/ask-upstream.ts'
import { followedUpstreams } from '../pool/selection.ts'
import { voters } from './voters.ts'

/** A header is small: an upstream that hangs is not waited for while others can be asked. */
const ANSWER_MS_MAX = 3_000

/** Votes that took longer than their answers may take: this process stood still meanwhile. */
const VOTE_MS_MAX = ANSWER_MS_MAX + 1_000

/**
 * The header with this hash, from the preferred upstream or else from others that are followed.
 * Null when none that answered knows it; throws a Failure when none answered.
 */
export async function headerByHash(
  service: NetworkService,
  hash: string,
  preferred: Upstream | null,
): Promise<Header | null> {
  const { pool } = service
  const others = followedUpstreams(pool.selection).filter((upstream) => upstream !== preferred)
  const isGiving =
    preferred !== null && givesHeaders(preferred.activeHealth, pool.clock.monotonicMs())
  const asked = isGiving ? [preferred, ...others] : preferred ? [...others, preferred] : others
  const isIt = (header: Header) => header.hash === hash.toLowerCase()
  let failure = new Failure('upstream_unreachable')
  let answered = false
  for (const upstream of asked) {
    if (upstream.chain !== 'right') continue
    try {
      const header = await askHeader(service, upstream, 'eth_getBlockByHash', hash, isIt)
      if (header) return header
      answered = true
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      failure = thrown
    }
  }
  if (!answered) throw failure
  return null
}

/** The header that one upstream holds at a height; null when it has no block there yet. */
export function headerByNumber(
  service: NetworkService,
  number: number,
  upstream: Upstream,
): Promise<Header | null> {
  const isIt = (header: Header) => header.number === number
  return askHeader(service, upstream, 'eth_getBlockByNumber', numberToQuantity(number), isIt)
}

/**
 * The headers that the upstreams hold at a height. All that answer have a vote, not only those
 * in use: one alone must not decide because the others are slower, behind, or ahead of it. Null
 * when what they said is not what they hold by now.
 */
export async function votesAt(service: NetworkService, number: number): Promise<Votes | null> {
  const { clock } = service.pool
  const [askedAtMs, askedMs] = [clock.nowMs(), clock.monotonicMs()]
  const votes = await Promise.all(voters(service).map((one) => voteOf(service, one, number)))
  // By both clocks: the second may stand still while the machine sleeps.
  const tookMs = Math.max(clock.nowMs() - askedAtMs, clock.monotonicMs() - askedMs)
  if (tookMs > VOTE_MS_MAX) return null
  const held = new Map<string, number>()
  let silent = 0
  for (const vote of votes) {
    if (vote === 'silent') silent++
    else if (vote) held.set(vote.hash, (held.get(vote.hash) ?? 0) + 1)
  }
  return { held, silent }
}

async function voteOf(service: NetworkService, upstream: Upstream, number: number) {
  if (upstream.chain === 'unknown') return 'silent'
  try {
    return await headerByNumber(service, number, upstream)
  } catch (thrown) {
    if (thrown instanceof Failure) return 'silent'
    throw thrown
  }
}

/** Throws a Failure when the answer is an error, or about something else than was asked. */
async function askHeader(
  service: NetworkService,
  upstream: Upstream,
  method: string,
  which: string,
  isIt: (header: Header) => boolean,
): Promise<Header | null> {
  const asked = askUpstream(service, upstream, method, [which, false])
  const result = await withinLimit(service, upstream, asked)
  if (result.kind === 'result' && result.value === null) return null
  const header = result.kind === 'result' ? verifiedHeader(service, result.value) : null
  if (header && isIt(header)) return header
  throw new Failure('upstream_answered_badly', { method, upstream: upstream.spec.name })
}

/**
 * Fails when it takes too long, while the call goes on by itself. Whether an answer came is
 * noted: no caller has a hand in that.
 */
async function withinLimit<T>(
  { pool: { clock } }: NetworkService,
  { activeHealth }: Upstream,
  asked: Promise<T>,
): Promise<T> {
  let came = false
  try {
    const result = await within(clock, ANSWER_MS_MAX, asked, () => {
      throw new Failure('upstream_timed_out')
    })
    came = true
    return result
  } finally {
    noteHeaderRead(activeHealth, came, clock.monotonicMs())
  }
}
