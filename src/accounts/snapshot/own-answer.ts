import { Failure } from '../../core/errors.ts'
import type { SolanaError } from '../../core/solana/account.ts'
import { solanaErrorText } from '../../core/solana/solana-error.ts'
import type { CacheStatus } from '../../upstream/answers/ask-network.ts'

/**
 * An answer from here and not from a node. Text, bytes or a stream are the JSON of `result`, at
 * times with a member behind it that stands beside the result.
 */
export type OwnAnswer =
  | { kind: 'result'; text: string; upstream: string; cache: CacheStatus }
  | { kind: 'stream'; stream: ReadableStream<Uint8Array>; upstream: string; cache: CacheStatus }
  | ({ kind: 'bytes'; pieces: readonly Uint8Array[] } & Source)
  /** `text` is the error object. Without an upstream it is ours, and costs nothing. */
  | { kind: 'error'; code: number; text: string; upstream: string | null }

type Source = { upstream: string; cache: CacheStatus }

/** Below this, an answer is text; what goes wrong until here is told as an error. */
const HELD_BYTES_MAX = 32 * 1024

export function ownError(error: SolanaError): OwnAnswer {
  return { kind: 'error', code: error.code, text: solanaErrorText(error), upstream: null }
}

/** Text when it is short, else a pulled stream. `left` is called at its end, maybe twice. */
export async function beginAnswer(
  pieces: AsyncGenerator<Uint8Array>,
  source: Source,
  left: () => void,
): Promise<OwnAnswer> {
  const held: Uint8Array[] = []
  let heldBytes = 0
  while (heldBytes < HELD_BYTES_MAX) {
    const { done, value } = await pieces.next()
    if (done) {
      left()
      return { kind: 'result', text: Buffer.concat(held).toString('utf8'), ...source }
    }
    held.push(value)
    heldBytes += value.length
  }
  return { kind: 'stream', stream: pulledStream(pieces, left, held), ...source }
}

/** Nothing is made, nor held, before somebody reads; what is held already comes first. */
export function pulledStream(
  pieces: AsyncGenerator<Uint8Array>,
  left: () => void,
  held: Uint8Array[] = [],
): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const first = held.shift()
      if (first) return controller.enqueue(first)
      try {
        const { done, value } = await pieces.next()
        if (!done) return controller.enqueue(value)
        left()
        controller.close()
      } catch (thrown) {
        // The client sees its connection break, never a short answer that looks whole.
        left()
        controller.error(thrown instanceof Failure ? new Error(thrown.code) : thrown)
      }
    },
    cancel() {
      left()
      // It may be waiting for more; it ends when that comes, and is not waited for.
      pieces.return(undefined).catch(() => {})
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
