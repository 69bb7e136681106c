import { Failure } from '../../core/errors.ts'
import type { SpillFile, SpillFiles } from '../../ports/spill.ts'

/** Room on the disk that all logs share. */
export type SpillBudget = {
  /** False when there is no room for so much, not even after others were removed. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export type LogRoom = { spill: SpillFiles; budget: SpillBudget }

/** Bytes that grow at their end, read while they grow. Old ones move to the disk. */
export type ByteLog = ReturnType<typeof openByteLog>

type Chunk = { at: number; buffer: Uint8Array; used: number }

const FIRST_CHUNK_BYTES = 4 * 1024
const CHUNK_BYTES = 256 * 1024

/** So much may wait for a slow disk before whoever appends has to wait too. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024

/** So little is not worth a file. */
const UNLOADED_BYTES_MAX = 32 * 1024

type Log = {
  room: LogRoom
  /** The chunks not on the disk yet; the last one still takes bytes. */
  chunks: Chunk[]
  bytes: number
  diskBytes: number
  /** Taken of the budget; a write that failed has taken too. */
  takenBytes: number
  keptBytesMax: number
  isUnloaded: boolean
  file: SpillFile | null
  writing: Promise<void> | null
  fault: Failure | null
  removed: boolean
}

export function openByteLog(room: LogRoom, memoryBytesMax: number) {
  const log: Log = {
    room,
    chunks: [],
    bytes: 0,
    diskBytes: 0,
    takenBytes: 0,
    keptBytesMax: memoryBytesMax,
    isUnloaded: false,
    file: null,
    writing: null,
    fault: null,
    removed: false,
  }
  return {
    get bytes() {
      return log.bytes
    },
    /** Takes a copy; never waits. A caller that appends a lot awaits `settled` now and then. */
    append(more: Uint8Array) {
      const last = log.chunks.at(-1)
      // Hot path: records come by the million, and nearly all fit where the last one stands.
      if (last && last.used + more.length <= last.buffer.length) put(log, last, more)
      else appendParts(log, more)
    },
    /** Resolves when no more waits for the disk than may; throws when the disk takes no more. */
    async settled() {
      while (log.fault === null && log.writing !== null) {
        if (heldBytes(log) <= log.keptBytesMax + WAITING_BYTES_MAX) break
        await log.writing
        startWriting(log)
      }
      if (log.fault !== null) throw log.fault
    },
    /** Reads from `from` up to `to`; returns a view where memory has it in one piece. */
    read: (from: number, to: number) => readLog(log, from, to),
    /** Moves what is in memory to the disk, but for a little. */
    unload() {
      log.keptBytesMax = Math.min(log.keptBytesMax, UNLOADED_BYTES_MAX)
      log.isUnloaded = true
      startWriting(log)
      if (log.writing === null) trim(log)
    },
    async remove() {
      if (log.removed) return
      log.removed = true
      // At once: whoever room the room asks again right away.
      room.budget.give(log.takenBytes)
      await log.writing
      log.chunks.length = 0
      await log.file?.remove()
    },
  }
}

function put(log: Log, chunk: Chunk, bytes: Uint8Array): void {
  chunk.buffer.set(bytes, chunk.used)
  chunk.used += bytes.length
  log.bytes += bytes.length
}

function appendParts(log: Log, more: Uint8Array): void {
  for (let from = 0; from < more.length; ) {
    const last = roomIn(log.chunks, log.bytes)
    const part = more.subarray(from, from + last.buffer.length - last.used)
    put(log, last, part)
    from += part.length
  }
  startWriting(log)
}

function heldBytes({ bytes, diskBytes }: Log): number {
  return bytes - diskBytes
}

function startWriting(log: Log): void {
  if (log.writing !== null || log.removed || heldBytes(log) <= log.keptBytesMax) return
  log.writing = write(log)
    .catch((thrown: unknown) => {
      // The disk's own words may hold its paths.
      log.fault = thrown instanceof Failure ? thrown : new Failure('spill_failed', {}, thrown)
    })
    .finally(() => {
      log.writing = null
      if (log.isUnloaded) trim(log)
    })
}

/** Frees the room for more: a log that is kept for later is hardly added to. */
function trim({ chunks }: Log): void {
  for (const chunk of chunks) {
    if (chunk.used < chunk.buffer.length) chunk.buffer = chunk.buffer.slice(0, chunk.used)
  }
}

/** One writer at a time, oldest bytes first. */
async function write(log: Log): Promise<void> {
  const { chunks, room } = log
  while (!log.removed && log.fault === null && heldBytes(log) > log.keptBytesMax) {
    const [first] = chunks
    if (!first) return
    // The next bytes go to a new place, since this one is on its way.
    if (chunks.length === 1) chunks.push(newChunk(log.bytes, CHUNK_BYTES))
    const isTaken = room.budget.take(first.used)
    if (log.removed) {
      // To make the room, this very log was removed, and with it what it had taken until then.
      if (isTaken) room.budget.give(first.used)
      return
    }
    if (!isTaken) throw new Failure('spill_failed', { reason: 'no room left' })
    log.takenBytes += first.used
    log.file ??= await room.spill.create()
    await log.file.append(first.buffer.subarray(0, first.used))
    log.diskBytes += first.used
    chunks.shift()
  }
}

async function readLog(log: Log, from: number, to: number): Promise<Uint8Array> {
  const { chunks } = log
  const whole = chunks.find((chunk) => chunk.at <= from && to <= chunk.at + chunk.used)
  if (whole) return whole.buffer.subarray(from - whole.at, to - whole.at)
  const into = new Uint8Array(to - from)
  // Memory first: while the disk is waited for, chunks go there.
  for (const chunk of chunks) copyPart(chunk, from, to, into)
  const onDisk = Math.min(to, log.diskBytes) - from
  if (onDisk > 0) await log.file?.read(from, into.subarray(0, onDisk))
  return into
}

function roomIn(chunks: Chunk[], bytes: number): Chunk {
  const last = chunks.at(-1)
  if (last && last.used < last.buffer.length) return last
  const doubled = last ? last.buffer.length * 2 : 0
  const chunk = newChunk(bytes, Math.min(CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, doubled)))
  chunks.push(chunk)
  return chunk
}

function newChunk(at: number, size: number): Chunk {
  return { at, buffer: new Uint8Array(size), used: 0 }
}

function copyPart(chunk: Chunk, from: number, to: number, into: Uint8Array): void {
  const start = Math.max(from, chunk.at)
  const end = Math.min(to, chunk.at + chunk.used)
  if (start >= end) return
  into.set(chunk.buffer.subarray(start - chunk.at, end - chunk.at), start - from)
}
