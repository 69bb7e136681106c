import type { SolanaError } from '../../core/solana/account.ts'
import type { PageOrder, PageStep } from '../../ports/account-store.ts'
import type { AccountFile } from './account-store-file.ts'
import {
  LOOKUP_RULES,
  type LookupRules,
  type LookupWish,
  openAccountLookups,
} from './account-store-lookups.ts'
import { readPage, type StoredProgram } from './account-store-pages.ts'
import { RUN_RULES, type RunRules } from './runs/account-store-run-book.ts'
import { canHaveRuns, readRunPage } from './runs/account-store-run-pages.ts'
import { openRunWishes, type RunWish } from './runs/account-store-run-wishes.ts'

/** What reads what is committed, in the thread it is opened in. */
export type AccountReader = {
  page(order: PageOrder): PageStep | SolanaError
  runWishes(): RunWish[]
  lookupWish(): LookupWish | null
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
  rules: { lookups?: LookupRules; runs?: RunRules } = {},
): AccountReader {
  const lookups = openAccountLookups(file, rules.lookups ?? LOOKUP_RULES)
  const wishes = openRunWishes(rules.runs ?? RUN_RULES)
  return {
    page(order) {
      const program = programOf(file, order.program)
      if (!program) return NOTHING
      if (canHaveRuns(order)) return readRunPage(file, program, order, wishes)
      return readPage(file, program, order, lookups.find(program.id, order.filters))
    },
    runWishes: wishes.take,
    lookupWish: lookups.wish,
    noteMade: lookups.noteMade,
    noteDropped: lookups.noteDropped,
    forget(programs) {
      lookups.forget(programs)
      wishes.forget(programs)
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
