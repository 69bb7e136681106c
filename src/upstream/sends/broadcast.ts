import { Failure } from '../../core/errors.ts'
import { judgeError } from '../../core/rpc/error-classes.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestFrom } from '../pool/upstream-pool.ts'
import { nextTarget } from './send-targets.ts'

type Broadcast = {
  pool: UpstreamPool
  /** The same answer, or success where a refusal means that the node has it already. */
  settle(answer: PoolAnswer): Promise<PoolAnswer>
  call: PoolCall
  tried: Upstream[]
  running: number
  refusals: Refusal[]
  failure: Failure | null
  isAnswered: boolean
  resolve(answer: PoolAnswer): void
  reject(failure: Failure): void
}

type Refusal = { at: number; isCallers: boolean; answer: PoolAnswer }

/** Nobody who has accepted it by then: one more upstream is asked. */
const LATE_MS = 2000

/**
 * Sends to so many upstreams at once. The first that takes it answers, and the others finish in
 * the background, no longer than an attempt may last. One that fails is replaced by another; when
 * all refuse, the answer is what a node says of the transaction, not of itself.
 */
export function broadcast(
  pool: UpstreamPool,
  call: PoolCall,
  width: number,
  settle: Broadcast['settle'],
): Promise<PoolAnswer> {
  return new Promise<PoolAnswer>((resolve, reject) => {
    const open = { tried: [], running: 0, refusals: [], failure: null, isAnswered: false }
    const sending: Broadcast = { pool, settle, call, ...open, resolve, reject }
    for (let place = 0; place < width; place++) launch(sending)
    end(sending)
    pool.clock.after(LATE_MS, () => {
      if (!sending.isAnswered) launch(sending)
    })
  })
}

function launch(sending: Broadcast): void {
  const { pool, call, tried } = sending
  const upstream = nextTarget(pool, call, tried)
  if (!upstream) return
  tried.push(upstream)
  sending.running++
  void attempt(sending, upstream, tried.length)
}

async function attempt(sending: Broadcast, upstream: Upstream, at: number): Promise<void> {
  const { pool, call } = sending
  try {
    const answer = await sending.settle(await requestFrom(pool, upstream, call))
    sending.running--
    const { reply } = answer
    const isRefused = reply.kind === 'error' || reply.kind === 'error_stream'
    if (!isRefused) return accept(sending, answer)
    const isCallers =
      reply.kind === 'error' && judgeError(pool.network.kind, reply, call).class === 'caller'
    sending.refusals.push({ at, isCallers, answer })
    // A node that says something of itself may stand beside one that has no trouble.
    if (!isCallers && !sending.isAnswered) launch(sending)
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    sending.running--
    if (sending.failure?.code !== 'upstream_timed_out') sending.failure = thrown
    if (!sending.isAnswered) launch(sending)
  }
  end(sending)
}

function accept(sending: Broadcast, answer: PoolAnswer): void {
  if (!sending.isAnswered) sending.resolve(answer)
  sending.isAnswered = true
}

/** Gives up when nobody is left who could take it. */
function end(sending: Broadcast): void {
  const { running, isAnswered, refusals, failure } = sending
  if (isAnswered || running > 0) return
  sending.isAnswered = true
  const rank = ({ isCallers, at }: Refusal) => (isCallers ? 0 : 1000) + at
  const [best, ...others] = refusals.toSorted((a, b) => rank(a) - rank(b))
  for (const { answer } of others) {
    if ('stream' in answer.reply) answer.reply.stream.cancel().catch(() => {})
  }
  if (best) sending.resolve(best.answer)
  else sending.reject(failure ?? new Failure('upstream_unreachable'))
}
