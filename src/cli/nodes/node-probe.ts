import { within } from '../../core/async/within.ts'
import type { UpstreamSpec } from '../../core/network.ts'
import { parseNodeBatch } from '../../core/rpc/node-reply.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { openRpcClient, type Reply, type RpcFailure } from '../../upstream/node/rpc-client.ts'

/** The most that is asked of one node in all, so that looking at it does not hurt it. */
export type ProbeLimits = { requestsMax: number; callMs: number; totalMs: number }

type NodeAnswer =
  | { kind: 'value'; value: unknown; ms: number }
  | { kind: 'refused'; code: number; message: string; text: string; ms: number }
  | { kind: 'failed'; reason: string; ms: number }

export type NodeProbe = ReturnType<typeof openNodeProbe>

type Late = Pick<RpcFailure, 'kind' | 'reason' | 'throttled'>

const NO_MORE: NodeAnswer = { kind: 'failed', reason: 'not_asked', ms: 0 }

/** The answers to the light calls of a batch are far shorter than this. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024

/** Codes and statuses by which nodes and vendors say that this was too often. */
const THROTTLED_CODES = [429, -32005, -32029, -32097]

/** Opens a client for one node; nothing is sent before the first question. */
export function openNodeProbe(
  clock: Clock,
  outbound: Outbound,
  spec: UpstreamSpec,
  limits: ProbeLimits,
) {
  const client = openRpcClient(outbound, spec)
  const beganAtMs = clock.monotonicMs()
  let requests = 0
  let throttled = 0
  const isSpent = () =>
    requests >= limits.requestsMax || clock.monotonicMs() - beganAtMs >= limits.totalMs
  return {
    get requests() {
      return requests
    },
    get throttled() {
      return throttled
    },
    async ask(method: string, params: readonly unknown[] = []): Promise<NodeAnswer> {
      if (isSpent()) return NO_MORE
      requests++
      const sentAtMs = clock.monotonicMs()
      const answered = Promise.withResolvers<Reply>()
      const cancel = client.call(method, JSON.stringify(params), true, answered.resolve, true)
      const reply = await within(clock, limits.callMs, answered.promise, () => late(cancel))
      const answer = answerIn(reply, clock.monotonicMs() - sentAtMs)
      if (isThrottled(reply)) throttled++
      return answer
    },
    /** The number of answers to this many calls in one batch; a failure if it is no batch. */
    async askBatch(method: string, calls: number): Promise<number | string> {
      if (isSpent()) return NO_MORE.kind
      requests++
      const { body, cancel } = client.sendText(batchText(method, calls), BATCH_BYTES_MAX)
      const text = await within(clock, limits.callMs, body, () => late(cancel))
      if (typeof text !== 'string') {
        if (isThrottled(text)) throttled++
        return text.reason
      }
      const replies = parseNodeBatch(text)
      if (!replies) return 'no batch in the answer'
      return [...replies.values()].filter(({ kind }) => kind === 'result').length
    },
  }
}

function late(cancel: () => void): Late {
  cancel()
  return { kind: 'failed', reason: 'timed_out', throttled: false }
}

function answerIn(reply: Reply | Late, ms: number): NodeAnswer {
  switch (reply.kind) {
    case 'result':
      return { kind: 'value', value: reply.value, ms }
    case 'error':
      return { kind: 'refused', code: reply.code, message: reply.message, text: reply.text, ms }
    case 'failed':
      return { kind: 'failed', reason: reply.reason, ms }
    default:
      // Nobody reads it, so its connection is given up.
      reply.stream.cancel().catch(() => {})
      return { kind: 'failed', reason: 'answer_too_large', ms }
  }
}

function isThrottled(reply: Reply | Late): boolean {
  if (reply.kind === 'failed') return reply.throttled
  return reply.kind === 'error' && THROTTLED_CODES.includes(reply.code)
}

function batchText(method: string, calls: number): string {
  const one = (id: number) => ({ jsonrpc: '2.0', id, method, params: [] })
  return JSON.stringify(Array.from({ length: calls }, (_, at) => one(at + 1)))
}
