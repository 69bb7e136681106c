import { Rejection } from '../../core/errors.ts'
import { rejectionReply } from '../../core/rpc/jsonrpc.ts'
import { bytesOf } from '../../gateway/pieces-stream.ts'
import type { ReplyParts, Served } from '../../gateway/serve-rpc.ts'
import type { UnreadReservation } from '../../gateway/unread-budget.ts'

/** A frame leaves in one piece, so its answer has to be in memory; beyond this HTTP streams it. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

const TOO_LARGE = 'The answer is over 16 MiB, too large for WebSocket; please ask over HTTP.'
const UNREAD = 'Too many large answers to this app have not been read yet; please try again.'
const CUT_SHORT = 'The node broke off its answer; please try again.'

/** The whole text of a reply that holds large answers, each read up to a limit. */
export async function replyText(
  replies: readonly Served[],
  isBatch: boolean,
  reserved: UnreadReservation,
): Promise<string> {
  const texts: string[] = []
  let leftBytes = ANSWER_BYTES_MAX
  for (const { parts } of replies) {
    const text = typeof parts === 'string' ? parts : await wholeText(parts, leftBytes, reserved)
    leftBytes = Math.max(0, leftBytes - text.length)
    texts.push(text)
  }
  return isBatch ? `[${texts.join(',')}]` : (texts[0] ?? '')
}

/** The text of a reply that is at hand; null where some of it has to be read first. */
export function textAtHand(replies: readonly Served[], isBatch: boolean): string | null {
  const texts: string[] = []
  for (const { parts } of replies) {
    if (typeof parts !== 'string') return null
    texts.push(parts)
  }
  return isBatch ? `[${texts.join(',')}]` : (texts[0] ?? '')
}

async function wholeText(
  [before, answer, after]: Exclude<ReplyParts, string>,
  bytesMax: number,
  reserved: UnreadReservation,
): Promise<string> {
  if (!(answer instanceof ReadableStream)) {
    const bytes = bytesOf(answer.pieces)
    if (bytes > bytesMax) return refusalIn(before, TOO_LARGE)
    const text = Buffer.concat(answer.pieces, bytes).toString('utf8')
    return before + text + after
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += chunk.length
      // A loop that is left early cancels its stream.
      if (bytes > bytesMax) return refusalIn(before, TOO_LARGE)
      if (!reserved.grow(chunk.length)) return refusalIn(before, UNREAD)
      chunks.push(chunk)
    }
  } catch {
    return refusalIn(before, CUT_SHORT)
  }
  return before + Buffer.concat(chunks, bytes).toString('utf8') + after
}

/** The refusal under the id that the beginning of the reply has. */
function refusalIn(before: string, message: string): string {
  const idText = before.slice('{"jsonrpc":"2.0","id":'.length, before.lastIndexOf(','))
  return rejectionReply(idText, new Rejection('unread_answers', message))
}
