import { readUpTo } from '../../core/async/read-up-to.ts'
import { retryAfterWaitMs } from '../../core/delivery/retry-after.ts'
import { Failure } from '../../core/errors.ts'
import type { UpstreamSpec } from '../../core/network.ts'
import {
  isOddError,
  type NodeError,
  type NodeResult,
  parseNodeReply,
  parseNodeValue,
} from '../../core/rpc/node-reply.ts'
import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type {
  Outbound,
  OutboundAnswer,
  OutboundListener,
  OutboundRequest,
} from '../../ports/outbound.ts'
import { streamResult } from './stream-result.ts'
import { withoutCredentials } from './without-credentials.ts'

/** No usable answer came. `mayHaveLanded` is false only if the node cannot have seen the call. */
export type RpcFailure = {
  kind: 'failed'
  reason: string
  mayHaveLanded: boolean
  throttled: boolean
  timedOut: boolean
  /** The call itself may well be the reason, so this says nothing of how the node does. */
  blameless: boolean
  retryAfterMs: number
}

/** An answer too big to hold: the bytes of its result, to be passed on as they come. */
export type Streamed = { kind: 'stream'; stream: ReadableStream<Uint8Array> }

/**
 * An error too big to hold. Only what a caller asks for makes a node say so much, so it is
 * passed on whatever its code is, and counts for nothing against the node.
 */
export type StreamedError = {
  kind: 'error_stream'
  code: number
  stream: ReadableStream<Uint8Array>
}

export type Reply = NodeResult | NodeError | Streamed | StreamedError | RpcFailure

export function isStreamed(reply: Reply): reply is Streamed | StreamedError {
  return reply.kind === 'stream' || reply.kind === 'error_stream'
}

export type RpcClient = {
  /**
   * Calls `done` once with what came of the call; returns how to give up. `whole`: the caller
   * reads the value itself, however long it is; its text is left out. `trace` goes along.
   */
  call(
    method: string,
    paramsText: string,
    repeatable: boolean,
    done: (reply: Reply) => void,
    whole?: boolean,
    trace?: TraceContext | null,
  ): () => void
  /** The body of an answer to a text made by the caller, for batches. */
  sendText(
    text: string,
    bytesMax: number,
    trace?: TraceContext | null,
  ): { body: Promise<string | RpcFailure>; cancel(): void }
  nextId(): number
}

/** Up to here an answer is held and checked whole, so that it can still be asked for elsewhere. */
const HELD_BYTES_MAX = 256 * 1024

/** The same for an answer of unknown length, or of one too long to be held. */
const HELD_UNSIZED_BYTES_MAX = 32 * 1024

/** The traces of a full block take some megabytes; beyond this an answer is not believed. */
const WHOLE_BYTES_MAX = 256 * 1024 * 1024

const NAMES_MAX = 500
const NAME_CHARS_MAX = 64

/** The longest body of a refusal that is read to its end. */
const EXPLANATION_BYTES_MAX = 64 * 1024

/** A JSON-RPC client for one upstream. Ids are our own: none of a client's ever leaves. */
export function openRpcClient(outbound: Outbound, spec: UpstreamSpec): RpcClient {
  const given = { 'content-type': 'application/json', ...spec.headers }
  const { url, headers } = withoutCredentials(spec.url, given)
  const names = new Map<string, string>()
  let lastId = 0
  return {
    nextId: () => ++lastId,

    call(method, paramsText, repeatable, done, whole = false, trace = null) {
      const id = ++lastId
      const name = quoted(names, method)
      const body = `{"jsonrpc":"2.0","id":${id},"method":${name},"params":${paramsText}}`
      const request = { url, body, headers, callHeaders: trace?.headers ?? null, repeatable }
      const read = whole ? readWhole : readReply
      return send(outbound, request, id, read, done)
    },

    sendText(text, bytesMax, trace = null) {
      const callHeaders = trace?.headers ?? null
      const request = { url, body: text, headers, callHeaders, repeatable: true }
      const { promise, resolve } = Promise.withResolvers<string | RpcFailure>()
      const read = (answer: OutboundAnswer) => readText(answer, bytesMax)
      return { body: promise, cancel: send(outbound, request, lastId, read, resolve) }
    },
  }
}

/** A method's name in JSON, worked out once; bounded, whatever callers invent. */
function quoted(names: Map<string, string>, method: string): string {
  const known = names.get(method)
  if (known !== undefined) return known
  const text = JSON.stringify(method)
  if (names.size < NAMES_MAX && method.length < NAME_CHARS_MAX) names.set(method, text)
  return text
}

/** A call on its way. */
type Sending<T> = {
  id: number
  read(answer: OutboundAnswer, id: number): T | RpcFailure | Promise<T | RpcFailure>
  done(reply: T | RpcFailure): void
  isGivenUp: boolean
}

/**
 * Sends and reads, turning whatever goes wrong into a failure that says who gave up.
 * Hot path: a small answer passes through here without a promise.
 */
function send<T>(
  outbound: Outbound,
  request: OutboundRequest,
  id: number,
  read: Sending<T>['read'],
  done: Sending<T>['done'],
): () => void {
  const sending: Sending<T> = { id, read, done, isGivenUp: false }
  const cancel = outbound.post(request, LISTENER as OutboundListener<Sending<T>>, sending)
  return () => {
    sending.isGivenUp = true
    cancel()
  }
}

const LISTENER: OutboundListener<Sending<unknown>> = {
  answered(answer, sending) {
    const reading = sending.read(answer, sending.id)
    if (reading instanceof Promise) finishReading(reading, sending)
    else sending.done(reading)
  },
  lost(thrown, { done, isGivenUp }) {
    if (isGivenUp) return done(failed('timed_out', { timedOut: true }))
    const unsent = thrown instanceof Failure && thrown.code === 'upstream_unreachable'
    done(failed(unsent ? 'unreachable' : 'connection_lost', { mayHaveLanded: !unsent }))
  },
}

function finishReading<T>(reading: Promise<T | RpcFailure>, sending: Sending<T>): void {
  reading.then(sending.done, (thrown) => LISTENER.lost(thrown, sending as Sending<unknown>))
}

function failed(reason: string, facts: Partial<RpcFailure> = {}): RpcFailure {
  return {
    kind: 'failed',
    reason,
    mayHaveLanded: true,
    throttled: false,
    timedOut: false,
    blameless: false,
    retryAfterMs: 0,
    ...facts,
  }
}

/** Hot path: a small answer is there whole, and read without a promise. */
function readReply(answer: OutboundAnswer, id: number): Reply | Promise<Reply> {
  const { status, whole } = answer
  const ok = status >= 200 && status < 300
  return ok && whole !== null && whole.length <= HELD_BYTES_MAX
    ? checkedReply(whole, id, answer, ok)
    : readInParts(answer, id, ok)
}

async function readInParts(answer: OutboundAnswer, id: number, ok: boolean): Promise<Reply> {
  const { status, length } = answer
  if (!ok && !mayExplain(status)) return refusedByStatus(answer)

  if (length !== null && length <= HELD_BYTES_MAX) {
    return checkedReply(await answer.text(), id, answer, ok)
  }
  const held = await streamResult(answer.stream(), id, HELD_UNSIZED_BYTES_MAX)
  if (held.kind === 'text') return checkedReply(held.text, id, answer, ok)
  if (held.kind === 'error_stream' || (held.kind === 'stream' && ok)) return held
  if (held.kind === 'stream') await held.stream.cancel()
  return ok ? failed('garbage') : failed(`http_${status}`, { blameless: isCallers(status) })
}

/** With these statuses some nodes say what is wrong with a call, in a body as usual. */
function mayExplain(status: number): boolean {
  return status === 400 || status === 404 || status === 405 || status === 413 || status === 422
}

/**
 * With these statuses a server, or a filter in front of it, may refuse what is in one call.
 * Where it refuses us altogether, polls are refused as well, and they do count.
 */
function isCallers(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}

/** No scan for the result's own text: that would take as long as parsing it does. */
async function readWhole(answer: OutboundAnswer, id: number): Promise<Reply> {
  if (mayExplain(answer.status)) return withoutStream(await readInParts(answer, id, false))
  const text = await readText(answer, WHOLE_BYTES_MAX)
  if (typeof text !== 'string') return text
  return parseNodeValue(text, id) ?? failed('garbage')
}

/** A caller that reads the value itself needs an error's code only. */
function withoutStream(reply: Reply): Reply {
  if (reply.kind !== 'error_stream') return reply
  reply.stream.cancel().catch(() => {})
  return { kind: 'error', code: reply.code, message: '', text: '' }
}

function checkedReply(text: string, id: number, answer: OutboundAnswer, ok: boolean): Reply {
  const reply = parseNodeReply(text, id)
  if (reply?.kind === 'error' || (reply && ok)) return reply
  return ok ? failed('garbage', { blameless: isOddError(text, id) }) : refusedByStatus(answer)
}

async function readText(answer: OutboundAnswer, bytesMax: number): Promise<string | RpcFailure> {
  if (answer.status < 200 || answer.status >= 300) return refusedByStatus(answer)
  if (answer.whole !== null) return answer.whole
  const bytes = await readUpTo(answer.stream(), bytesMax)
  return bytes?.toString('utf8') ?? failed('answer_too_large', { blameless: true })
}

function refusedByStatus(answer: OutboundAnswer): RpcFailure {
  const { status } = answer
  // Read to its end, a short body leaves its connection fit for the next call.
  const short = answer.length !== null && answer.length <= EXPLANATION_BYTES_MAX
  if (short) answer.text().catch(() => {})
  else
    answer
      .stream()
      .cancel()
      .catch(() => {})
  const asks = status === 429 || status === 503
  const retryAfterMs = asks
    ? retryAfterWaitMs(answer.header('retry-after'), answer.header('date'))
    : 0
  return failed(`http_${status}`, {
    mayHaveLanded: status >= 500,
    blameless: isCallers(status),
    throttled: status === 429 || retryAfterMs > 0,
    retryAfterMs,
  })
}
