import { CENTI_PER_CU } from '../../core/billing/plan.ts'
import { NO_SUCH_METHOD } from '../../core/rpc/jsonrpc.ts'
import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { ServedBatch } from '../../gateway/serve-batch.ts'
import type { Served } from '../../gateway/serve-rpc.ts'
import type { CallFigures } from '../../metering/call-figures.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { World } from '../../ports/world.ts'

/** The outcome of a request, be it one call or a batch. */
export type RpcOutcome = Pick<Served, 'status' | 'centiCu' | 'cache' | 'upstream' | 'rejection'> & {
  replies: readonly Served[]
  isBatch: boolean
  caller: Caller | null
}

export const UNKNOWN_NETWORK = 'unknown'

/** One request, on its way to its answer. */
export type RpcExchange = {
  /** The network's id, or UNKNOWN_NETWORK. */
  network: string
  trace: TraceContext | null
  startedAtMs: number
}

/** Counts and logs what came of each request. Returns the request's id. */
export type AccessLog = { add(exchange: RpcExchange, outcome: RpcOutcome): string }

/** The parts that the next request of the same outcome can use again. */
type Memo = {
  network: string
  like: RpcOutcome
  count: (by: number) => void
  duration: (ms: number) => void
  /** The log line's fields but for the request's id before and its time after. */
  middle: string
}

/**
 * The statistics, the metrics and the log line of each request. Hot path: metrics and text of a
 * method's last request are cached, because most of the next ones differ only in their id and time.
 */
export function openAccessLog(
  { clock, entropy, telemetry }: World,
  stats: CallFigures,
  logRequests: boolean,
): AccessLog {
  // Short, unique in this process, and of no use to anyone who guesses the next.
  const prefix = `req_${entropy.alphanumeric(8)}`
  let lastNumber = 0
  const memos = new Map<string, Memo>()

  const memoFor = (network: string, outcome: RpcOutcome, method: string): Memo => {
    const known = memos.get(method)
    if (known?.network === network && alike(known.like, outcome)) return known
    const labels = labelsOf(network, outcome.replies[0])
    const memo = {
      network,
      like: outcome,
      count: telemetry.counter('headgate_rpc_calls_total', labels),
      duration: telemetry.histogram('headgate_rpc_request_duration_seconds', { network }),
      middle: middleText(network, outcome, method),
    }
    memos.set(method, memo)
    return memo
  }

  const count = (network: string, outcome: RpcOutcome, tookMs: number): string => {
    const { replies } = outcome
    if (!outcome.isBatch) {
      const memo = memoFor(network, outcome, replies[0]?.method ?? '')
      memo.count(1)
      memo.duration(tookMs)
      return memo.middle
    }
    countMembers(telemetry, network, replies)
    telemetry.observeMs('headgate_rpc_request_duration_seconds', { network }, tookMs)
    return middleText(network, outcome, 'batch')
  }

  return {
    add({ network, trace, startedAtMs }, outcome) {
      const { caller, replies } = outcome
      const tookMs = clock.monotonicMs() - startedAtMs
      // The members of a batch are answered together, so that each of them took as long as all.
      if (caller) for (const served of replies) stats.add(caller.app, network, served, tookMs)
      const requestId = prefix + (++lastNumber).toString(36)
      const middle = count(network, outcome, tookMs)
      if (logRequests) {
        telemetry.logText('info', 'rpc', lineText(requestId, middle, tookMs, trace))
      }
      return requestId
    },
  }
}

function alike(before: RpcOutcome, now: RpcOutcome): boolean {
  const [was] = before.replies
  const [is] = now.replies
  return (
    before.caller?.app.id === now.caller?.app.id &&
    before.upstream === now.upstream &&
    before.cache === now.cache &&
    before.centiCu === now.centiCu &&
    before.status === now.status &&
    was?.nodeErrorCode === is?.nodeErrorCode &&
    was?.rejection?.code === is?.rejection?.code
  )
}

function lineText(
  requestId: string,
  middle: string,
  tookMs: number,
  trace: TraceContext | null,
): string {
  const line = `"request":"${requestId}${middle}${Math.round(tookMs * 100) / 100}`
  return trace === null ? line : `${line},"trace_id":"${trace.traceId}"`
}

/** Put together by hand: all texts in it are ours, or were checked when they were configured. */
function middleText(network: string, outcome: RpcOutcome, method: string): string {
  const { replies, isBatch, status, centiCu, cache, upstream, caller } = outcome
  const fields = {
    network,
    app: caller?.app.id ?? null,
    method,
    calls: replies.length,
    status,
    error: isBatch ? 0 : errorField(replies[0]),
    cu: centiCu / CENTI_PER_CU,
    cache,
    upstream,
  }
  return `",${JSON.stringify(fields).slice(1, -1)},"ms":`
}

/** Hot path: the labels of members that stand side by side and are alike are looked up once. */
function countMembers(telemetry: Telemetry, network: string, replies: readonly Served[]): void {
  let count = 0
  replies.forEach((served, index) => {
    count++
    const next = replies[index + 1]
    if (next?.method === served.method && outcomeWord(next) === outcomeWord(served)) return
    telemetry.count('headgate_rpc_calls_total', labelsOf(network, served), count)
    count = 0
  })
}

/** Sorted by name, as the metrics have them. */
function labelsOf(network: string, served: Served | undefined) {
  return { method: served?.method || 'none', network, outcome: outcomeWord(served) }
}

function outcomeWord(served: Served | undefined): string {
  if (served?.rejection) return served.rejection.code
  return served?.nodeErrorCode === 0 ? 'ok' : 'node_error'
}

/** Zero for success, the node's code, or the HTTP status of a refusal. */
function errorField(served: Served | undefined): number {
  if (!served?.rejection) return served?.nodeErrorCode ?? 0
  const { code, httpStatus } = served.rejection
  // It is told with status 200, as a node would, so its status would look like none.
  return code === 'method_not_served' ? NO_SUCH_METHOD : httpStatus
}

export function single(served: Served, caller: Caller | null): RpcOutcome {
  return {
    replies: [served],
    isBatch: false,
    status: served.status,
    centiCu: served.centiCu,
    cache: served.cache,
    upstream: served.upstream,
    rejection: served.rejection,
    caller,
  }
}

export function several(batch: ServedBatch, caller: Caller): RpcOutcome {
  const { members, centiCu, cache, upstream } = batch
  const facts = { centiCu, cache, upstream, rejection: null, caller }
  return { replies: members, isBatch: true, status: 200, ...facts }
}
