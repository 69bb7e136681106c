import type { SolanaError } from '../../core/solana/account.ts'
import type { PageOrder, PageStep } from '../../ports/account-store.ts'
import type { AccountFile } from './account-store-file.ts'
import {
  LOOKUP_RULES,
  type LookupChange,
  type LookupRules,
  openAccountLookups,
} from './account-store-lookups.ts'
import { readPage, type StoredProgram } from './account-store-pages.ts'
import { canBeCached, readCachedPage } from './text-cache/cached-pages.ts'
import { type HotRange, openHotRanges } from './text-cache/hot-ranges.ts'
import { TEXT_CACHE_RULES, type TextCacheRules } from './text-cache/text-cache.ts'

/** A step of a page; `shared` is where its bytes are in shared memory, if they are there. */
type ReadStep = PageStep & { shared?: { from: number; bytes: number } }

/** Shared memory by its number, and the buffer itself when it is new. */
type GivenMemory = { number: number; buffer: SharedArrayBuffer | null }

/** The functions that read what is committed, in the thread it is opened in. */
export type AccountReader = {
  /** A large page is written into shared memory, if it is given some. */
  page(order: PageOrder, memory?: GivenMemory): ReadStep | SolanaError
  hotRanges(): HotRange[]
  nextLookupChange(): LookupChange | null
  noteMade(name: string): void
  noteDropped(name: string): void
  forget(programs: readonly number[]): void
  close(): void
}

/** Made each time, for its bytes are transferred to another thread. */
function nothing(): PageStep {
  return { bytes: new Uint8Array(), count: 0, last: null, more: false, unknownMints: [] }
}

export function openAccountReader(
  file: AccountFile,
  rules: { lookups?: LookupRules; texts?: TextCacheRules } = {},
): AccountReader {
  const lookups = openAccountLookups(file, rules.lookups ?? LOOKUP_RULES)
  const memories: SharedArrayBuffer[] = []
  const hotRanges = openHotRanges(rules.texts ?? TEXT_CACHE_RULES)
  return {
    page(order, given) {
      if (given?.buffer) memories[given.number] = given.buffer
      const program = programOf(file, order.program)
      if (!program) return nothing()
      if (canBeCached(order)) {
        const memory = given ? (memories[given.number] ?? null) : null
        return sharedStep(readCachedPage(file, program, order, { hotRanges, memory }), memory)
      }
      return readPage(file, program, order, lookups.find(program.id, order.filters))
    },
    hotRanges: hotRanges.take,
    nextLookupChange: lookups.nextChange,
    noteMade: lookups.noteMade,
    noteDropped: lookups.noteDropped,
    forget(programs) {
      lookups.forget(programs)
      hotRanges.forget(programs)
    },
    close: file.close,
  }
}

/** Bytes of shared memory stay where they are: to send it again costs as much as copying. */
function sharedStep(
  step: PageStep | SolanaError,
  memory: SharedArrayBuffer | null,
): ReadStep | SolanaError {
  if (memory === null || !('bytes' in step) || step.bytes.buffer !== memory) return step
  const { byteOffset: from, length: bytes } = step.bytes
  return { ...step, bytes: new Uint8Array(), shared: { from, bytes } }
}

function programOf(file: AccountFile, pubkey: Uint8Array): StoredProgram | null {
  const [row] = file.rows<{ id: bigint; bytes: bigint }>(
    'SELECT id, body_bytes_max AS bytes FROM programs WHERE pubkey = ?',
    pubkey,
  )
  return row ? { id: Number(row.id), bodyBytesMax: Number(row.bytes) } : null
}
