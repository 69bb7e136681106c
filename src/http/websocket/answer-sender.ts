import { serial } from '../../core/async/serial.ts'
import type { ReaderWatch, Reading } from '../../gateway/reader-watch.ts'
import { dropReply } from '../../gateway/reply-body.ts'
import type { UnreadBudget } from '../../gateway/unread-budget.ts'
import type { Outgoing } from './outgoing.ts'
import { replyText, textAtHand } from './reply-text.ts'
import type { ServedFrame } from './serve-frame.ts'

type Needs = {
  outgoing: Outgoing
  answers: UnreadBudget
  readers: ReaderWatch
  callerName: string
  isOver(): boolean
  /** The client does not take what it asked for. */
  slow(): void
}

export type AnswerSender = ReturnType<typeof openAnswerSender>

/** Larger ones wait for their turn, so that what waits for a client stays small. */
const SMALL_BYTES_MAX = 256 * 1024

/** Sends answers: small ones at once, large ones one after the other and when nothing waits. */
export function openAnswerSender(needs: Needs) {
  const { outgoing, readers } = needs
  const inTurn = serial()
  let reading: Reading | null = null

  const sendLarge = async (served: ServedFrame, sent: () => void) => {
    const { replies, isBatch } = served
    const reserved = served.held ?? needs.answers.open(needs.callerName)
    try {
      await outgoing.drained()
      if (needs.isOver()) return dropReply(replies.map(({ parts }) => parts))
      const text = await replyText(replies, isBatch, reserved)
      outgoing.sendLarge(text, Buffer.byteLength(text))
      sent()
      reading = { idleSinceMs: readers.nowMs(), onStuck: needs.slow }
      readers.add(reading)
      await outgoing.drained()
    } finally {
      if (reading) readers.remove(reading)
      reading = null
      reserved.release()
    }
  }

  return {
    /** Resolves when the answer was handed to the socket; a large one, when the client has it. */
    async send(served: ServedFrame, sent: () => void) {
      const text = textAtHand(served.replies, served.isBatch)
      const bytes = text === null ? null : Buffer.byteLength(text)
      if (text === null || bytes === null || bytes > SMALL_BYTES_MAX) {
        return inTurn(() => sendLarge(served, sent))
      }
      served.held?.release()
      if (!outgoing.send(text, bytes)) return needs.slow()
      sent()
    },
    noteDrain() {
      if (reading) reading.idleSinceMs = readers.nowMs()
    },
  }
}
