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

/** The functions that read what is committed, in the thread it is opened in. */
export type AccountReader = {
  page(order: PageOrder): PageStep | SolanaError
  hotRanges(): HotRange[]
  nextLookupChange(): LookupChange | null
  noteMade(name: string): void
  noteDropped(name: string): void
  forget(programs: readonly number[]): void
  close(): void
}

const NOTHING: PageStep = {
  bytes: new Uint8Array(),
  count: 0,
  last: null,
  more: false,
  unknownMints: [],
}

export function openAccountReader(
  file: AccountFile,
  rules: { lookups?: LookupRules; texts?: TextCacheRules } = {},
): AccountReader {
  const lookups = openAccountLookups(file, rules.lookups ?? LOOKUP_RULES)
  const hotRanges = openHotRanges(rules.texts ?? TEXT_CACHE_RULES)
  return {
    page(order) {
      const program = programOf(file, order.program)
      if (!program) return NOTHING
      if (canBeCached(order)) return readCachedPage(file, program, order, hotRanges)
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

function programOf(file: AccountFile, pubkey: Uint8Array): StoredProgram | null {
  const [row] = file.rows<{ id: bigint; bytes: bigint }>(
    'SELECT id, body_bytes_max AS bytes FROM programs WHERE pubkey = ?',
    pubkey,
  )
  return row ? { id: Number(row.id), bodyBytesMax: Number(row.bytes) } : null
}
