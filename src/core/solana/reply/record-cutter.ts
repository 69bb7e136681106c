import { type RecordListener, readItems, startCut } from './reply-cut.ts'

/**
 * whole: a complete reply, with one result or one error, and nothing after it.
 * cut_off: a reply that broke off; what is missing was never sent.
 * no_answer: anything else, such as HTML, nothing at all, no result or two, a result of another
 * shape, or a record without a pubkey of 32 bytes. The records before the fault were heard.
 */
export type ReplyEnd = 'whole' | 'cut_off' | 'no_answer'

export type RecordCutter = ReturnType<typeof openRecordCutter>

/** The longest record or member of a reply: twice what the largest account takes in base64. */
const ITEM_BYTES_MAX = 32 * 1024 * 1024
/** Enough of the next chunk to end nearly every record that began in the one before. */
const PIECE_BYTES = 4 * 1024

/**
 * Cuts the records out of a node's reply to getProgramAccounts, byte for byte as they came, in
 * whatever chunks it comes, without ever holding more than one record.
 */
export function openRecordCutter(listener: RecordListener) {
  const cut = startCut(listener)
  const held = openHeldBytes()

  /** Reads on in what is held and in as much of the chunk as that takes; where to go on in it. */
  const readHeld = (chunk: Uint8Array): number => {
    let from = 0
    while (held.bytes > 0 && from < chunk.length) {
      const before = held.bytes
      const piece = chunk.subarray(from, from + Math.max(PIECE_BYTES, before))
      held.add(piece)
      from += piece.length
      // The held bytes were read before and found unfinished. Reading them again only when
      // they have doubled keeps the cost of even single bytes in proportion to their number.
      if (held.bytes < held.retryBytes) continue
      const used = readItems(cut, held.view())
      if (used >= before) from -= held.bytes - used
      held.drop(used >= before ? held.bytes : used)
    }
    return from
  }

  return {
    /** Takes the next bytes; false once it is clear that no answer will come of them. */
    push(chunk: Uint8Array): boolean {
      const from = readHeld(chunk)
      if (held.bytes === 0) {
        const rest = chunk.subarray(from)
        const unread = rest.subarray(readItems(cut, rest))
        if (unread.length > ITEM_BYTES_MAX) cut.place = 'broken'
        else held.add(unread)
        held.drop(0)
      }
      if (held.bytes > 2 * ITEM_BYTES_MAX) cut.place = 'broken'
      if (cut.place === 'broken') held.drop(held.bytes)
      return cut.place !== 'broken'
    },

    end(): ReplyEnd {
      held.drop(readItems(cut, held.view()))
      if (cut.place === 'over') return 'whole'
      return cut.place === 'broken' || cut.place === 'start' ? 'no_answer' : 'cut_off'
    },

    get pageKey() {
      return cut.pageKey
    },
  }
}

function openHeldBytes() {
  let buffer = new Uint8Array()
  let bytes = 0
  let retryBytes = 0
  return {
    get bytes() {
      return bytes
    },
    /** As many bytes as are worth another reading. */
    get retryBytes() {
      return retryBytes
    },
    add(more: Uint8Array) {
      if (bytes + more.length > buffer.length) {
        const larger = new Uint8Array((bytes + more.length) * 2)
        larger.set(buffer.subarray(0, bytes))
        buffer = larger
      }
      buffer.set(more, bytes)
      bytes += more.length
    },
    /** Forgets the first of them; the rest has been read in vain. */
    drop(used: number) {
      buffer.copyWithin(0, used, bytes)
      bytes -= used
      retryBytes = bytes * 2
    },
    view: () => buffer.subarray(0, bytes),
  }
}
