/**
 * Memory that two threads share. One writes an answer into it and lends it to the other, which
 * gives it back. Made anew for every answer, megabytes would keep the collector busy for longer
 * than it takes to copy them.
 */
export type LentMemory = SharedArrayBuffer

/** At the beginning of the memory stands whether it is lent. */
const STATE_BYTES = 8
const FREE = 0
const LENT = 1

export function newMemory(bytes: number): LentMemory {
  return new SharedArrayBuffer(STATE_BYTES + bytes)
}

/** One of them that holds so many bytes and is free, which it is no more; null: there is none. */
export function lend(memories: readonly LentMemory[], bytes: number): Uint8Array | null {
  for (const memory of memories) {
    if (memory.byteLength - STATE_BYTES < bytes) continue
    const was = Atomics.compareExchange(stateOf(memory), 0, FREE, LENT)
    if (was === FREE) return new Uint8Array(memory, STATE_BYTES)
  }
  return null
}

/** Bytes of lent memory are of no use from here on; others stay as they are. */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof SharedArrayBuffer) Atomics.store(stateOf(buffer), 0, FREE)
}

/** The same bytes, in memory that nobody waits for. */
export function keep(bytes: Uint8Array): Uint8Array {
  if (!(bytes.buffer instanceof SharedArrayBuffer)) return bytes
  const kept = new Uint8Array(bytes)
  giveBack(bytes)
  return kept
}

function stateOf(memory: LentMemory): Int32Array {
  return new Int32Array(memory, 0, 1)
}
