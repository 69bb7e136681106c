import { Failure } from '../../core/errors.ts'
import type { NetworkKind } from '../../core/network.ts'
import { judgeError } from '../../core/rpc/error-classes.ts'
import { type NodeError, parseNodeBatch } from '../../core/rpc/node-reply.ts'
import type { RpcFailure } from '../node/rpc-client.ts'
import { noteFailure, noteSuccess, noteThrottled, type Upstream } from '../node/upstream.ts'
import { tallyAnswered, tallyFailed } from '../node/upstream-tally.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from './routed-request.ts'
import { pick } from './selection.ts'
import { drainQueues, requestAny } from './upstream-pool.ts'

type Member = {
  call: PoolCall
  resolve: (answer: PoolAnswer) => void
  reject: (thrown: unknown) => void
}

/** Members are light calls; an answer larger than this is no answer to them. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Light calls take milliseconds; when an upstream is silent this long, each is asked elsewhere. */
const BATCH_MS_MAX = 5000
/** Bodies that nodes take: agave takes 50 KiB unless told otherwise, EVM nodes some megabytes. */
const BODY_CHARS_MAX: Record<NetworkKind, number> = { evm: 4 * 1024 * 1024, solana: 48 * 1024 }
/** The characters around the method and the params of a member, its comma included. */
const ENVELOPE_CHARS_MAX = 64
const NO_BATCHES_MS = 600_000

/** Collects the members of one client batch and sends them on as few batches as upstreams take. */
export function openBatchSender(pool: UpstreamPool) {
  const waiting: Member[] = []
  let flushed = false
  return {
    add(_pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
      // A caller that joined a like call and got a stream asks again when the batch has left.
      if (flushed || call.of.heavy || call.of.safety !== 'read') return requestAny(pool, call)
      return new Promise((resolve, reject) => waiting.push({ call, resolve, reject }))
    },
    flush(): void {
      flushed = true
      const members = waiting.splice(0)
      if (members.length === 0) return
      const upstream = pick(pool.selection, requirementsOf(members), [])
      const sizeMax = upstream ? batchSizeMax(pool, upstream) : 0
      // Each member counts as a request; where there is no room for all, each waits for its own.
      const isOver = upstream?.spend?.hasRoom(members.length) === false
      if (!upstream || isOver || sizeMax < 2 || members.length < 2) {
        for (const member of members) sendAlone(pool, member)
        return
      }
      for (const part of parts(members, sizeMax, BODY_CHARS_MAX[pool.network.kind])) {
        void sendTogether(pool, upstream, part)
      }
    },
  }
}

/** In order, as few as the bounds allow; a member that is too long alone stands alone. */
function parts(members: readonly Member[], sizeMax: number, charsMax: number): Member[][] {
  const cut: Member[][] = []
  let part: Member[] = []
  let chars = 0
  for (const member of members) {
    const { method, paramsText } = member.call
    const ownChars = method.length + paramsText.length + ENVELOPE_CHARS_MAX
    if (part.length === 0 || part.length >= sizeMax || chars + ownChars > charsMax) {
      part = []
      chars = 0
      cut.push(part)
    }
    part.push(member)
    chars += ownChars
  }
  return cut
}

async function sendTogether(
  pool: UpstreamPool,
  upstream: Upstream,
  members: readonly Member[],
): Promise<void> {
  const { client } = upstream
  const ids = members.map(() => client.nextId())
  const texts = members.map(({ call }, at) => {
    const name = JSON.stringify(call.method)
    return `{"jsonrpc":"2.0","id":${ids[at]},"method":${name},"params":${call.paramsText}}`
  })
  const startedAtMs = pool.clock.monotonicMs()
  const timeoutMs = Math.min(BATCH_MS_MAX, upstream.spec.timeoutMs)
  // All are of one request, and so of one trace.
  const trace = members[0]?.call.trace
  const sending = client.sendText(`[${texts.join(',')}]`, ANSWER_BYTES_MAX, trace)
  const stopTimer = pool.clock.after(timeoutMs, sending.cancel)
  upstream.inFlight++
  for (const { call } of members) upstream.spend?.note(call.method)
  const body = await sending.body
  upstream.inFlight--
  drainQueues(pool)
  stopTimer()
  const nowMs = pool.clock.monotonicMs()

  const replies = typeof body === 'string' ? parseNodeBatch(body) : null
  const tookMs = nowMs - startedAtMs
  if (replies) noteSuccess(upstream, tookMs, nowMs)
  else if (typeof body === 'string') upstream.noBatchesUntilMs = nowMs + NO_BATCHES_MS
  else noteBatchFailed(upstream, body, members, nowMs)

  members.forEach((member, at) => {
    const reply = replies?.get(ids[at] ?? -1)
    const good = reply?.kind === 'result' || (reply && isCallers(pool, reply, member.call))
    if (reply && good) {
      tallyAnswered(upstream.tally, tookMs)
      member.resolve({ reply, upstream: upstream.spec.name, unclearBefore: false })
    } else {
      sendAlone(pool, member)
    }
  })
}

/** Its members are asked again, each alone, and counted there. */
function noteBatchFailed(
  upstream: Upstream,
  failed: RpcFailure,
  members: readonly Member[],
  nowMs: number,
): void {
  const isTheirs = !failed.throttled && isCallersDoing(failed, members)
  if (!isTheirs) tallyFailed(upstream.tally)
  if (failed.throttled) noteThrottled(upstream, failed.retryAfterMs, nowMs)
  else if (!isTheirs) noteFailure(upstream, failed.reason, nowMs)
}

function isCallers(pool: UpstreamPool, error: NodeError, call: PoolCall): boolean {
  return judgeError(pool.network.kind, error, call).class === 'caller'
}

function isCallersDoing(failed: RpcFailure, members: readonly Member[]): boolean {
  return failed.blameless || (failed.timedOut && members.some(({ call }) => call.of.callersDoing))
}

function sendAlone(pool: UpstreamPool, member: Member): void {
  requestAny(pool, member.call).then(member.resolve, (thrown) =>
    member.reject(thrown instanceof Failure ? thrown : new Failure('upstream_unreachable')),
  )
}

function batchSizeMax(pool: UpstreamPool, upstream: Upstream): number {
  return upstream.noBatchesUntilMs > pool.clock.monotonicMs() ? 0 : upstream.spec.batchMax
}

function requirementsOf(members: readonly Member[]) {
  const heights = members.map(({ call }) => call.heightMin ?? 0)
  return {
    method: members[0]?.call.method ?? '',
    atHead: members.some(({ call }) => call.atHead),
    heightMin: Math.max(...heights) || null,
  }
}
