import type { UpstreamSpec } from '../core/network.ts'
import { type NodeError, type NodeResult, parseNodeReply } from '../core/rpc/node-reply.ts'
import type { Outbound } from '../ports/outbound.ts'
import { streamResult } from './stream-result.ts'

/** The node gave no usable answer. `mayHaveLanded` is false only when it cannot have seen the call. */
export type Failed = {
  kind: 'failed'
  reason: string
  mayHaveLanded: boolean
  throttled: boolean
  timedOut: boolean
  retryAfterMs: number
}

/** An answer too big to hold: the bytes of its result, to be passed on as they come. */
export type Streamed = { kind: 'stream'; stream: ReadableStream<Uint8Array> }

export type Reply = NodeResult | NodeError | Streamed | Failed

export type RpcClient = {
  send(method: string, paramsText: string, signal: AbortSignal): Promise<Reply>
  /** The body of an answer to a text made by the caller, for batches. */
  sendText(text: string, bytesMax: number, signal: AbortSignal): Promise<string | Failed>
  nextId(): number
}

/** Up to here an answer is held and checked whole, so that it can still be asked for elsewhere. */
export const HELD_BYTES_MAX = 256 * 1024

const NEVER_SENT = new Set([
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'DNSException',
])

/** Speaks JSON-RPC to one upstream. Ids are our own: none of a client's ever leaves. */
export function openRpcClient(outbound: Outbound, spec: UpstreamSpec): RpcClient {
  const { url, headers } = withoutCredentials(spec)
  let lastId = 0

  const post = (body: string, signal: AbortSignal) => outbound.post({ url, body, headers, signal })

  return {
    nextId: () => ++lastId,

    async send(method, paramsText, signal) {
      const id = ++lastId
      const name = JSON.stringify(method)
      const body = `{"jsonrpc":"2.0","id":${id},"method":${name},"params":${paramsText}}`
      try {
        const response = await post(body, signal)
        return await readReply(response, id)
      } catch (thrown) {
        return failedToReach(thrown, signal)
      }
    },

    async sendText(text, bytesMax, signal) {
      try {
        const response = await post(text, signal)
        if (!response.ok) return refusedByStatus(response)
        const body = await response.text()
        return body.length > bytesMax ? failed('answer_too_large') : body
      } catch (thrown) {
        return failedToReach(thrown, signal)
      }
    },
  }
}

export function failed(reason: string, facts: Partial<Failed> = {}): Failed {
  return {
    kind: 'failed',
    reason,
    mayHaveLanded: true,
    throttled: false,
    timedOut: false,
    retryAfterMs: 0,
    ...facts,
  }
}

async function readReply(response: Response, id: number): Promise<Reply> {
  const { status } = response
  const mayExplain = status === 400 || status === 404 || status === 405 || status === 422
  if (!response.ok && !mayExplain) return refusedByStatus(response)

  const length = response.headers.get('content-length')
  // Hot path: a known small length needs no reader, which costs a third more.
  // A packed one may unfold to anything, so it is read with care.
  const packed = response.headers.get('content-encoding') !== null
  if (length !== null && !packed && Number(length) <= HELD_BYTES_MAX) {
    return checkedReply(await response.text(), id, response)
  }
  const held = await streamResult(response, id, HELD_BYTES_MAX)
  if (held.kind === 'text') return checkedReply(held.text, id, response)
  if (held.kind === 'stream' && response.ok) return held
  if (held.kind === 'stream') await held.stream.cancel()
  return failed('garbage')
}

function checkedReply(text: string, id: number, response: Response): Reply {
  const reply = parseNodeReply(text, id)
  if (reply?.kind === 'error' || (reply && response.ok)) return reply
  return response.ok ? failed('garbage') : refusedByStatus(response)
}

function refusedByStatus(response: Response): Failed {
  const { status } = response
  // Left unread, a body would hold its connection.
  response.body?.cancel().catch(() => {})
  if (status !== 429) return failed(`http_${status}`, { mayHaveLanded: status >= 500 })
  const seconds = Number(response.headers.get('retry-after') ?? '')
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
  return failed('http_429', { mayHaveLanded: false, throttled: true, retryAfterMs })
}

function failedToReach(thrown: unknown, signal: AbortSignal): Failed {
  if (signal.aborted) return failed('timed_out', { timedOut: true })
  const code = (thrown as { code?: unknown } | null)?.code
  const unsent = typeof code === 'string' && NEVER_SENT.has(code)
  // The thrown text may hold the address, so only the kind of fault goes on.
  return failed(unsent ? 'unreachable' : 'connection_lost', { mayHaveLanded: !unsent })
}

function withoutCredentials(spec: UpstreamSpec): { url: string; headers: Record<string, string> } {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...spec.headers }
  const url = new URL(spec.url)
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, headers }
}
