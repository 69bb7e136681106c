import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { bytesOf, u32 } from '../solana-bytes.ts'
import {
  applyRecords,
  emptyLedger,
  type KeptLedger,
  ledgerRecords,
  markAtEnd,
} from './ledger-records.ts'

/** The file of a ledger: batches of records, each of which is there as a whole or not at all. */
export type LedgerFile = {
  /** The ledger, as yet without its accounts, slots and transactions: reading them takes time. */
  kept: KeptLedger
  /** Reads all of it, once. */
  readBack(): void
  /** Where a file that could not be read lies now; null when there was none. */
  setAside: string | null
  readonly bytes: number
  append(records: readonly Uint8Array[]): void
  /** Writes the file anew, with the ledger as it is and nothing that is over. */
  rewrite(ledger: KeptLedger): void
  close(): void
}

const NAME = 'ledger.log'
const NEW_NAME = 'ledger.new'

/** The last byte is the version of the form: another one is set aside like a broken file. */
const HEAD = Buffer.from('HGSOLDV\x01', 'latin1')

/** The length of a batch, the checksum of its records, and that of these two. */
const BATCH_HEAD_BYTES = 12

/** Opens the ledger of a folder. A file that is broken is renamed, and the ledger begins anew. */
export function openLedgerFile(folder: string, nowMs: number): LedgerFile {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, NAME)
  const found = existsSync(path) ? readLedger(readFileSync(path)) : null
  const broken = found === 'broken' ? setLedgerAside(folder, nowMs) : null
  const { kept, end, batches } = found === null || found === 'broken' ? begun() : found

  let descriptor = takeOver(folder, end)
  let bytes = end
  const write = (part: Uint8Array) => {
    writeWhole(descriptor, part, bytes)
    bytes += part.length
  }
  if (bytes === 0) write(HEAD)

  return {
    kept,
    setAside: broken,
    readBack() {
      // The marks in the file are older than those since the start.
      const { slotReserved, transactions } = kept
      for (const batch of batches.splice(0)) applyRecords(kept, batch)
      Object.assign(kept, { slotReserved, transactions })
    },
    get bytes() {
      return bytes
    },
    append: (records) => write(batchOf(records)),
    rewrite(ledger) {
      const whole = bytesOf(HEAD, batchOf(ledgerRecords(ledger)))
      const next = openSync(join(folder, NEW_NAME), 'w')
      writeWhole(next, whole, 0)
      // It must be there in full before it takes the other one's place.
      fsyncSync(next)
      renameSync(join(folder, NEW_NAME), path)
      closeSync(descriptor)
      descriptor = next
      bytes = whole.length
    },
    close: () => closeSync(descriptor),
  }
}

/** Renames the file of a ledger that cannot be gone on with; returns where it lies now. */
export function setLedgerAside(folder: string, nowMs: number): string {
  const broken = join(folder, `${NAME}.broken-${nowMs}`)
  renameSync(join(folder, NAME), broken)
  return broken
}

/**
 * Opens a copy of the file in its place, up to its last whole batch: the end of a process may have
 * cut one short, and one that has not quite ended yet must not write into what we go on with.
 */
function takeOver(folder: string, end: number): number {
  const [path, next] = [join(folder, NAME), join(folder, NEW_NAME)]
  if (existsSync(path)) copyFileSync(path, next)
  else writeFileSync(next, '')
  const descriptor = openSync(next, 'r+')
  ftruncateSync(descriptor, end)
  renameSync(next, path)
  return descriptor
}

/** A ledger, its batches, and where the last whole one ends. */
type Found = { kept: KeptLedger; batches: Uint8Array[]; end: number }

function begun(): Found {
  return { kept: emptyLedger(), batches: [], end: 0 }
}

function writeWhole(descriptor: number, part: Uint8Array, position: number): void {
  let written = 0
  while (written < part.length) {
    written += writeSync(descriptor, part, written, part.length - written, position + written)
  }
}

function batchOf(records: readonly Uint8Array[]): Uint8Array {
  const payload = Buffer.concat(records)
  const head = bytesOf(u32(payload.length), u32(Bun.hash.crc32(payload)))
  return bytesOf(head, u32(Bun.hash.crc32(head)), payload)
}

function readLedger(file: Buffer): Found | 'broken' {
  if (file.length === 0) return begun()
  if (!file.subarray(0, HEAD.length).equals(HEAD)) return 'broken'
  const { kept, batches } = begun()
  let end = HEAD.length
  while (end + BATCH_HEAD_BYTES <= file.length) {
    const [length, sum, headSum] = [0, 4, 8].map((at) => file.readUInt32LE(end + at))
    const start = end + BATCH_HEAD_BYTES
    if (Bun.hash.crc32(file.subarray(end, end + 8)) !== headSum) return 'broken'
    if (start + length! > file.length) break
    const payload = file.subarray(start, start + length!)
    if (Bun.hash.crc32(payload) !== sum) return 'broken'
    const mark = markAtEnd(payload)
    if (mark === null) return 'broken'
    Object.assign(kept, mark)
    batches.push(payload)
    end = start + length!
  }
  return { kept, batches, end }
}
