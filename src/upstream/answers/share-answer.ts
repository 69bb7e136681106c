import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { isStreamed, type Streamed, type StreamedError } from '../node/rpc-client.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'
import { type BranchReader, shareStream } from '../streams/share-stream.ts'

/** One of the callers that an answer is passed on to. */
type Sharer = {
  /** The caller, as far as places for big answers go. */
  share: string | undefined
  /** Asks for the same once more, for this caller alone. */
  askAgain(): Promise<PoolAnswer>
}

/** Makes an answer that is passed on as it comes one for all callers; `first` has asked for it. */
export function shareAnswer(clock: Clock, { reply }: PoolAnswer, first: Sharer): void {
  // An error is each caller's own, as it may be about the moment.
  if (reply.kind !== 'stream') return
  const shared = shareStream(clock, reply.stream)
  reply.stream = shared.branch(readerOf(reply, first)) ?? reply.stream
  reply.shared = shared
}

/** The reply for a caller that joined; null when it has to ask by itself. */
export function joinedReply({ reply }: PoolAnswer, joined: Sharer): PoolAnswer['reply'] | null {
  if (!isStreamed(reply)) return reply
  const stream = reply.shared?.branch(readerOf(reply, joined))
  return stream ? { ...reply, stream } : null
}

function readerOf(reply: Streamed | StreamedError, { share, askAgain }: Sharer): BranchReader {
  const { kind, countFor } = reply
  return {
    pays: () => countFor?.(share),
    async askAgain() {
      const again = (await askAgain()).reply
      if (isStreamed(again) && again.kind === kind) return again.stream
      if (isStreamed(again)) await again.stream.cancel()
      // It was sent more already than any answer has that is held.
      throw new Failure('upstream_unreachable', { reason: 'the answer changed' })
    },
  }
}
