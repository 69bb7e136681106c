import { Failure } from '../../core/errors.ts'
import type { OutboundAnswer } from '../../ports/outbound.ts'
import type { Exchange } from '../http1/exchange.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { ResponseReader } from '../http1/response-reader.ts'

/** The state of an answer's body between those who send it and those who read it. */
export type AnswerBody = {
  /** Tells whoever reads the body that more came, or that it is over. */
  wake: (() => void) | null
  isBroken: boolean
}

type Body = { exchange: Exchange<AnswerBody>; reader: ResponseReader; cancel(): void }

/** How the standard names a content encoding, and how the runtime does. */
const CONTENT_ENCODINGS = new Map<string, Bun.CompressionFormat>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** The answer whose head has come; its body may still be on its way. */
export function outboundAnswer(
  exchange: Exchange<AnswerBody>,
  reader: ResponseReader,
  head: ResponseHead,
  cancel: () => void,
): OutboundAnswer {
  const body: Body = { exchange, reader, cancel }
  // We ask for no content encoding; some hosts use one all the same.
  const encoding = head.header('content-encoding')?.toLowerCase() ?? 'identity'
  const isEmpty = reader.ended && reader.waitingBytes === 0
  if (encoding !== 'identity' && !isEmpty) return encodedAnswer(body, head, encoding)
  return {
    status: head.status,
    header: head.header,
    length: reader.ended ? reader.waitingBytes : head.length,
    whole: null,
    text: () => wholeText(body),
    stream: () => bodyStream(body),
  }
}

function encodedAnswer(body: Body, head: ResponseHead, encoding: string): OutboundAnswer {
  const stream = () => {
    const format = CONTENT_ENCODINGS.get(encoding)
    if (!format) {
      body.cancel()
      throw new Failure('upstream_answered_badly')
    }
    const decode = new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>
    return bodyStream(body).pipeThrough(decode)
  }
  return {
    status: head.status,
    header: head.header,
    length: null,
    whole: null,
    text: async () => new Response(stream()).text(),
    stream,
  }
}

async function wholeText(body: Body): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    for (const chunk of takeChunks(body)) chunks.push(chunk)
    if (body.reader.ended) break
    await more(body)
  }
  const whole = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8')
}

function bodyStream(body: Body): ReadableStream<Uint8Array> {
  const { reader } = body
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (reader.waitingBytes === 0) {
        if (reader.ended) return controller.close()
        await more(body)
      }
      for (const chunk of takeChunks(body)) controller.enqueue(chunk)
    },
    cancel: body.cancel,
  })
}

function takeChunks({ exchange, reader }: Body): Uint8Array[] {
  const chunks = reader.take()
  exchange.connection?.resume()
  return chunks
}

function more({ exchange }: Body): Promise<void> {
  const { context } = exchange
  if (context.isBroken) throw new Failure('upstream_answered_badly')
  return new Promise((resolve, reject) => {
    context.wake = () => {
      context.wake = null
      if (context.isBroken) reject(new Failure('upstream_answered_badly'))
      else resolve()
    }
  })
}
