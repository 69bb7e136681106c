import { Failure } from '../../../src/core/errors.ts'
import type { Outbound, OutboundAnswer } from '../../../src/ports/outbound.ts'

/** One call that reached the wire, to be answered by the test. */
export type ScriptedCall = {
  url: string
  id: number
  method: string
  params: unknown[]
  cancelled: boolean
  result(value: unknown): void
  error(code: number, message: string): void
  status(status: number, headers?: Record<string, string>): void
  /** Answers with a stream of unknown length. */
  stream(body: ReadableStream<Uint8Array>): void
  /** The connection was refused, or broke after the call was sent. */
  fail(sent: boolean): void
}

export type ScriptedOutbound = Outbound & {
  calls: ScriptedCall[]
  /** Calls of this method that wait for an answer. */
  open(method: string): ScriptedCall[]
  /** Answers at once what it answers with true; the rest waits for the test. */
  auto: (call: ScriptedCall) => boolean
}

/** The way out over HTTP, played by hand. */
export function scriptedOutbound(): ScriptedOutbound {
  const answered = new Set<ScriptedCall>()
  const outbound: ScriptedOutbound = {
    calls: [],
    auto: () => false,
    open: (method) =>
      outbound.calls.filter((call) => call.method === method && !answered.has(call)),
    post({ url, body }, listener, context) {
      const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
      const { id, method, params } = JSON.parse(body)
      const answer = (given: OutboundAnswer) => {
        answered.add(call)
        resolve(given)
      }
      const call: ScriptedCall = {
        url,
        id,
        method,
        params,
        cancelled: false,
        result: (result) => answer(textAnswer(200, JSON.stringify({ jsonrpc: '2.0', id, result }))),
        error: (code, message) =>
          answer(textAnswer(200, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))),
        status: (status, headers) => answer(textAnswer(status, '', headers)),
        stream: (stream) => answer({ ...textAnswer(200, ''), length: null, stream: () => stream }),
        fail(sent) {
          answered.add(call)
          reject(new Failure(sent ? 'upstream_answered_badly' : 'upstream_unreachable'))
        },
      }
      outbound.calls.push(call)
      outbound.auto(call)
      promise.then(
        (given) => listener.answered(given, context),
        (failure) => listener.lost(failure, context),
      )
      return () => {
        call.cancelled = true
        answered.add(call)
        reject(new Failure('upstream_answered_badly'))
      }
    },
  }
  return outbound
}

function textAnswer(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): OutboundAnswer {
  return {
    status,
    header: (name) => headers[name] ?? null,
    length: text.length,
    whole: null,
    text: async () => text,
    stream: () => new Response(text).body ?? new ReadableStream(),
  }
}
