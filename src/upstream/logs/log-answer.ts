import { Failure } from '../../core/errors.ts'
import type { BlockRange } from '../../core/logs/log-filter.ts'
import { joinLogTexts } from '../../core/logs/log-list.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'
import { headerAt } from './linked-headers.ts'
import { openLogPieces } from './log-pieces.ts'
import type { LogPlace } from './log-places.ts'
import { type LogReading, settledHeight } from './log-reading.ts'
import { readUnsettled } from './read-unsettled.ts'

/** Answers up to this size are handed over whole, as those of a node are. */
const HELD_CHARS_MAX = 256 * 1024

type LogTexts = { next(): Promise<string | null> }

/**
 * Reads a range in pieces: a small answer whole, a large one as a stream whose later pieces are
 * read while it is sent. Its place is given back when nothing more is read.
 */
export async function logAnswer(
  reading: LogReading,
  range: BlockRange,
  { begun, release: ended }: LogPlace,
): Promise<PoolAnswer> {
  const texts = openLogTexts(reading, range)
  const held: string[] = []
  let heldChars = 0
  try {
    while (heldChars <= HELD_CHARS_MAX) {
      const text = await texts.next()
      if (text === null) {
        ended()
        return heldAnswer(reading, `[${joinLogTexts(held)}]`)
      }
      held.push(text)
      heldChars += text.length
    }
  } catch (thrown) {
    reading.isStopped = true
    ended()
    throw thrown
  }
  // Until somebody reads it, no more is asked for: answers of a batch wait for each other.
  reading.isPaused = true
  begun()
  const stream = logStream(reading, joinLogTexts(held), texts, ended)
  return { reply: { kind: 'stream', stream }, ...sourceOf(reading), heightMax: range.to }
}

function heldAnswer(reading: LogReading, text: string): PoolAnswer {
  return { reply: { kind: 'result', text, value: JSON.parse(text) }, ...sourceOf(reading) }
}

/** The upstream that gave most of the pieces. */
function sourceOf({ answered }: LogReading) {
  const [most] = [...answered].toSorted(([, one], [, other]) => other - one)
  return { upstream: most?.[0] ?? 'none', unclearBefore: false }
}

/** Blocks that nothing changes first; then those near the head, which must be of one chain. */
function openLogTexts(reading: LogReading, { from, to }: BlockRange): LogTexts {
  const { head } = reading
  const final = head.finalized ?? -1
  const settledTo = Math.min(to, settledHeight(head))
  const settled = openLogPieces(reading, { from, to: settledTo }, true)
  const begun = settledTo > final && settledTo >= from ? hashAt(reading, settledTo) : null
  // It is awaited at the end, and may have failed long before.
  begun?.catch(() => {})
  let isEnded = false
  return {
    async next() {
      if (isEnded) return null
      const piece = settledTo < from ? null : await settled.next()
      if (piece) return piece.text
      isEnded = true
      const text =
        to > settledTo
          ? await readUnsettled(reading, { from: Math.max(from, settledTo + 1), to })
          : ''
      if (begun && (await begun) !== (await hashAt(reading, settledTo))) {
        throw new Failure('upstream_answered_badly', { reason: 'a deep reorganisation' })
      }
      return text
    },
  }
}

async function hashAt({ service, head }: LogReading, block: number): Promise<string> {
  const now = service.pool.selection.head ?? head
  const header = await headerAt(service, now, block)
  if (!header) throw new Failure('upstream_answered_badly', { reason: 'no header' })
  return header.hash
}

/** Pulled only as fast as the client reads; when the client has left, no more is asked for. */
function logStream(
  reading: LogReading,
  first: string,
  texts: LogTexts,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let waiting: string | null = `[${first}`
  const stop = () => {
    reading.isStopped = true
    ended()
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (waiting !== null) {
      controller.enqueue(encoder.encode(waiting))
      waiting = null
      return
    }
    try {
      reading.isPaused = false
      let text = await texts.next()
      while (text === '') text = await texts.next()
      controller.enqueue(encoder.encode(text === null ? ']' : `,${text}`))
      if (text !== null) return
      stop()
      controller.close()
    } catch (thrown) {
      // The client sees its connection break, never a short list that looks whole.
      stop()
      controller.error(thrown)
    }
  }
  return new ReadableStream<Uint8Array>({ pull, cancel: stop }, { highWaterMark: 0 })
}
