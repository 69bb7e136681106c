import type { SolanaError } from '../../core/solana/account.ts'
import type { PageOrder, PageStep } from '../../ports/account-store.ts'
import type { AccountFile } from './account-store-file.ts'
import { LOOKUP_RULES, type LookupRules, openAccountLookups } from './account-store-lookups.ts'
import { readPage, type StoredProgram } from './account-store-pages.ts'

export type AccountReader = ReturnType<typeof openAccountReader>

const NOTHING: PageStep = { pieces: [], count: 0, last: null, more: false, unknownMints: [] }

export function openAccountReader(file: AccountFile, rules: LookupRules = LOOKUP_RULES) {
  const lookups = openAccountLookups(file, rules)
  return {
    page(order: PageOrder): PageStep | SolanaError {
      const program = programOf(file, order.program)
      if (!program) return NOTHING
      return readPage(file, program, order, lookups.find(program.id, order.filters))
    },
    nextLookupChange: lookups.nextChange,
    noteMade: lookups.noteMade,
    noteDropped: lookups.noteDropped,
    forget: lookups.forget,
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
