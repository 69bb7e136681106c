import { CENTI_PER_CU } from '../../core/billing/plan.ts'
import { NO_SUCH_METHOD } from '../../core/rpc/jsonrpc.ts'
import type { Served } from '../../gateway/serve-rpc.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

type RequestNote = {
  requestId: string
  traceId: string | null
  /** The network's id, or `unknown`. */
  network: string
  appId: string | null
  replies: readonly Served[]
  isBatch: boolean
  status: number
  centiCu: number
  cache: string
  upstream: string
  tookMs: number
}

export type RpcNotes = { note(request: RequestNote): void }

/** The parts that the next request of the same outcome can use again. */
type Memo = {
  like: RequestNote
  count: (by: number) => void
  duration: (ms: number) => void
  /** The log line's fields but for the request's id before and its time after. */
  middle: string
}

/**
 * The metrics and the log line of each request. Hot path: those of a method's last
 * request are cached, because most of the next ones differ only in their id and time.
 */
export function openRpcNotes(telemetry: Telemetry, logRequests: boolean): RpcNotes {
  const memos = new Map<string, Memo>()

  const memoFor = (request: RequestNote, method: string): Memo => {
    const known = memos.get(method)
    if (known && alike(known.like, request)) return known
    const { network } = request
    const labels = { method: method === '' ? 'none' : method, network }
    const outcome = outcomeWord(request.replies[0])
    const memo = {
      like: request,
      count: telemetry.counter('headgate_rpc_calls_total', { ...labels, outcome }),
      duration: telemetry.histogram('headgate_rpc_request_duration_seconds', { network }),
      middle: middleText(request, method),
    }
    memos.set(method, memo)
    return memo
  }

  const noteBatch = (request: RequestNote) => {
    const { network } = request
    for (const served of request.replies) {
      const method = served.method === '' ? 'none' : served.method
      const labels = { method, network, outcome: outcomeWord(served) }
      telemetry.count('headgate_rpc_calls_total', labels)
    }
    telemetry.observeMs('headgate_rpc_request_duration_seconds', { network }, request.tookMs)
    if (logRequests)
      telemetry.logText('info', 'rpc', lineText(request, middleText(request, 'batch')))
  }

  return {
    note(request) {
      if (request.isBatch) return noteBatch(request)
      const memo = memoFor(request, request.replies[0]?.method ?? '')
      memo.count(1)
      memo.duration(request.tookMs)
      if (logRequests) telemetry.logText('info', 'rpc', lineText(request, memo.middle))
    },
  }
}

function alike(before: RequestNote, now: RequestNote): boolean {
  const [was] = before.replies
  const [is] = now.replies
  return (
    before.appId === now.appId &&
    before.upstream === now.upstream &&
    before.cache === now.cache &&
    before.centiCu === now.centiCu &&
    before.status === now.status &&
    before.network === now.network &&
    was?.nodeErrorCode === is?.nodeErrorCode &&
    was?.rejection?.code === is?.rejection?.code
  )
}

function lineText(request: RequestNote, middle: string): string {
  const { requestId, traceId, tookMs } = request
  const line = `"request":"${requestId}${middle}${Math.round(tookMs * 100) / 100}`
  return traceId === null ? line : `${line},"trace_id":"${traceId}"`
}

/** Put together by hand: all texts in it are ours, or were checked when they were configured. */
function middleText(request: RequestNote, method: string): string {
  const fields = {
    network: request.network,
    app: request.appId,
    method,
    calls: request.replies.length,
    status: request.status,
    error: request.isBatch ? 0 : errorField(request.replies[0]),
    cu: request.centiCu / CENTI_PER_CU,
    cache: request.cache,
    upstream: request.upstream,
  }
  return `",${JSON.stringify(fields).slice(1, -1)},"ms":`
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
