/**
 * Memory for pages that the reader's thread and this one share. Hot path: a buffer that is
 * allocated or transferred counts towards the next garbage collection with all its megabytes,
 * and collecting took longer than copying them.
 */
export type PageMemory = {
  /** A buffer for the next page, which is nobody else's until it is released. */
  take(): PageBuffer
  /** The page of this buffer is not read any more, so that the next one may take its place. */
  release(buffer: ArrayBufferLike): void
}

/** Sent to the other thread once: from then on it is known there by its number. */
type PageBuffer = { number: number; buffer: SharedArrayBuffer; isNew: boolean }

const BUFFERS = 4
/** A page that is read in one go takes 8 MiB at most. */
const BUFFER_BYTES = 9 * 2 ** 20

export function openPageMemory(): PageMemory {
  const buffers: SharedArrayBuffer[] = []
  const free = new Set<number>()
  let next = 0

  return {
    take() {
      const [number] = free
      if (number !== undefined) {
        free.delete(number)
        return { number, buffer: buffers[number] as SharedArrayBuffer, isNew: false }
      }
      // All are in use, or were given up without a word: then they are left to the collector.
      const buffer = new SharedArrayBuffer(BUFFER_BYTES)
      const place = next++ % BUFFERS
      buffers[place] = buffer
      return { number: place, buffer, isNew: true }
    },
    release(buffer) {
      const number = buffers.indexOf(buffer as SharedArrayBuffer)
      if (number >= 0) free.add(number)
    },
  }
}
