import { openBackoff } from '../../../core/async/backoff.ts'
import { readUpTo } from '../../../core/async/read-up-to.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { ownCall } from '../../../upstream/pool/ask-upstream.ts'
import { requestAny } from '../../../upstream/pool/upstream-pool.ts'
import { type FeedSource, LOST_WHILE_RECONNECTING } from './feed.ts'

type Question = {
  method: string
  /** Made anew for each attempt. */
  paramsText(): string
  /** A longer answer counts as refused. */
  bytesMax?: number
  isWanted(): boolean
  /** False where the answer is none, or of too early a moment. */
  take(resultText: string): boolean
}

/** A refusal is what any node would say; a failure may be over in a moment. */
type Answer = { kind: 'result'; text: string } | { kind: 'failed' | 'refused' }

/** Longer than a slot takes to become final, and a node to come back. */
const READ_MS_MAX = 60_000

/** From one slot on, and seldomer while many wait until a slot is final. */
const RETRY_LIMITS = { minMs: 400, maxMs: 3_200 }

/** The largest account has 10 MiB of data, a third more in base64. */
const ACCOUNT_BYTES_MAX = 16 * 1024 * 1024

/** A node's words for what it will never answer, be it asked later. */
const REFUSALS = [-32600, -32602]

/**
 * Asks any upstreams until the asker is content with an answer, or does not want it any more. The
 * subscription is lost when it never was content, or they refuse.
 */
export async function readAnew(
  source: FeedSource & { out: Subscriber },
  question: Question,
): Promise<void> {
  const { clock, service, reads, out } = source
  const endsAtMs = clock.monotonicMs() + READ_MS_MAX
  const backoff = openBackoff(RETRY_LIMITS)
  while (question.isWanted()) {
    const release = await reads.acquire()
    const answer = question.isWanted() ? await ask(service, question) : null
    release?.()
    if (answer === null || !question.isWanted()) return
    if (answer.kind === 'result' && question.take(answer.text)) return
    if (answer.kind === 'refused' || clock.monotonicMs() >= endsAtMs) {
      return out.lost(LOST_WHILE_RECONNECTING)
    }
    await clock.sleep(backoff.nextMs())
  }
}

async function ask(service: NetworkService, question: Question): Promise<Answer> {
  const { method, bytesMax = ACCOUNT_BYTES_MAX } = question
  try {
    const more = { paramsText: question.paramsText(), atHead: true, heavy: true }
    const call = ownCall(service.methods, method, [], more)
    const { reply } = await requestAny(service.pool, call)
    if (reply.kind === 'result') return { kind: 'result', text: reply.text }
    if (reply.kind === 'error') {
      return { kind: REFUSALS.includes(reply.code) ? 'refused' : 'failed' }
    }
    if (reply.kind === 'error_stream') {
      await reply.stream.cancel()
      return { kind: 'failed' }
    }
    const bytes = await readUpTo(reply.stream, bytesMax)
    if (bytes === null) return { kind: 'refused' }
    const text = bytes.toString('utf8')
    // A stream's bytes were only looked at for their brackets.
    JSON.parse(text)
    return { kind: 'result', text }
  } catch {
    // No upstream answered, or the stream broke, which says so with an error of any kind.
    return { kind: 'failed' }
  }
}
