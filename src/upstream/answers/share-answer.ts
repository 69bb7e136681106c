import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { isStreamed, type Streamed, type StreamedError } from '../node/rpc-client.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'
import { type BranchReader, shareStream } from '../pool/share-stream.ts'

/** One of the callers that an answer is passed on to. */
type Sharer = {
  /** The caller, as far as places for big answers go. */
  share: string | undefined
  /** Asks for the same once more, for this caller alone. */
  askAgain(): Promise<PoolAnswer>
}

/** Makes an answer that is passed on as it comes one for all callers, the first of them among them. */
export function shareAnswer(clock: Clock, answer: PoolAnswer, first: Sharer): void {
  const { reply } = answer
  if (!isStreamed(reply)) return
  const shared = shareStream(clock, reply.stream)
  reply.stream = shared.branch(readerOf(reply, first)) ?? reply.stream
  answer.shared = shared
}

/** The reply for a caller that joined; null when it has to ask by itself. */
export function joinedReply(answer: PoolAnswer, joined: Sharer): PoolAnswer['reply'] | null {
  const { reply, shared } = answer
  if (!isStreamed(reply)) return reply
  const stream = shared?.branch(readerOf(reply, joined))
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
      // What was sent to it was longer than any answer that is held.
      throw new Failure('upstream_unreachable', { reason: 'the answer changed' })
    },
  }
}
