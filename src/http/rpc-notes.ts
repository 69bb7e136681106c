import { CENTI_PER_CU } from '../core/billing/plan.ts'
import type { Served } from '../gateway/serve-rpc.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** What is told of one request when it is over. */
type RequestNote = {
  requestId: string
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

/** The metrics and the log line of each request; handles and quoted names are kept, for speed. */
export function openRpcNotes(telemetry: Telemetry, logRequests: boolean): RpcNotes {
  const durations = new Map<string, (ms: number) => void>()
  const outcomes = new Map<string, Map<string, (by: number) => void>>()

  const countOutcome = (network: string, served: Served) => {
    const kind = `${network} ${outcomeWord(served)}`
    let counters = outcomes.get(kind)
    if (!counters) {
      counters = new Map()
      outcomes.set(kind, counters)
    }
    const method = served.method === '' ? 'none' : served.method
    let counter = counters.get(method)
    if (!counter) {
      const labels = { method, network, outcome: outcomeWord(served) }
      counter = telemetry.counter('headgate_rpc_calls_total', labels)
      counters.set(method, counter)
    }
    counter(1)
  }

  return {
    note(request) {
      for (const served of request.replies) countOutcome(request.network, served)
      let duration = durations.get(request.network)
      if (!duration) {
        duration = telemetry.histogram('headgate_rpc_request_ms', { network: request.network })
        durations.set(request.network, duration)
      }
      duration(request.tookMs)
      if (logRequests) telemetry.logText('info', 'rpc', lineText(request))
    },
  }
}

/**
 * The fields as JSON text, put together by hand. All texts in it are ours or were
 * checked when they were configured, apart from names, which are quoted properly.
 */
function lineText(request: RequestNote): string {
  const [first] = request.replies
  const method = request.isBatch ? 'batch' : (first?.method ?? '')
  const error = request.isBatch ? 0 : (first?.errorCode ?? 0)
  return `"request":"${request.requestId}","network":"${request.network}","app":${
    request.appId === null ? 'null' : `"${request.appId}"`
  },"method":"${method}","calls":${request.replies.length},"status":${request.status},"error":${
    error
  },"cu":${request.centiCu / CENTI_PER_CU},"cache":"${request.cache}","upstream":${JSON.stringify(
    request.upstream,
  )},"ms":${Math.round(request.tookMs * 100) / 100}`
}

function outcomeWord(served: Served): string {
  if (served.rejection) return served.rejection.code
  return served.errorCode === 0 ? 'ok' : 'node_error'
}
