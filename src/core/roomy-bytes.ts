import { giveBack, type LentMemory, lend } from './lent-memory.ts'

/**
 * Bytes with free room on both sides, in memory that is theirs alone. What stands around an
 * answer of megabytes is put there instead of copying all of it.
 */
export type RoomyBytes = { memory: Uint8Array; from: number; to: number }

/** On each side: more than stands around the records of a page, but for what callers choose. */
export const ROOM_BYTES = 1024

/** Bytes that have so much room in their buffer, before and behind them. */
export function roomyOver(bytes: Uint8Array, room: number): RoomyBytes {
  const { buffer, byteOffset, length } = bytes
  const memory = new Uint8Array(buffer, byteOffset - room, length + 2 * room)
  return { memory, from: room, to: room + length }
}

/** A copy of the pieces, one behind the other, in memory that is at hand or in new one. */
export function joinRoomy(
  pieces: readonly Uint8Array[],
  memories: readonly LentMemory[] = [],
): RoomyBytes {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = length + 2 * ROOM_BYTES
  // New memory is not cleared: all of it is written before it is read.
  const memory = lend(memories, bytes) ?? Buffer.allocUnsafeSlow(bytes)
  let to = ROOM_BYTES
  for (const piece of pieces) {
    memory.set(piece, to)
    to += piece.length
  }
  return { memory, from: ROOM_BYTES, to }
}

/** The same with text around it: in place where there is room, else in other memory. */
export function putAround(bytes: RoomyBytes, before: string, after: string): RoomyBytes {
  const encoder = new TextEncoder()
  const [head, tail] = [encoder.encode(before), encoder.encode(after)]
  const { memory, from, to } = bytes
  const hasRoom = head.length <= from && to + tail.length <= memory.length
  if (!hasRoom) {
    const larger = joinRoomy([head, roomyBytes(bytes), tail])
    giveBack(memory)
    return larger
  }
  memory.set(head, from - head.length)
  memory.set(tail, to)
  return { memory, from: from - head.length, to: to + tail.length }
}

export function roomyBytes({ memory, from, to }: RoomyBytes): Uint8Array {
  return memory.subarray(from, to)
}

/**
 * Frees the memory of bytes that nobody looks at any more, and which had it alone. The collector
 * comes too seldom for megabytes: what waits to be collected adds up.
 */
export function letGo(bytes: Uint8Array): void {
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
  else giveBack(bytes)
}
