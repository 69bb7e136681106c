import type { AccountFilter } from '../core/solana/account.ts'
import { dataSql } from './account-store-body.ts'
import type { AccountTables } from './account-store-tables.ts'

/** A way to find the accounts that hold these bytes at one place of their data. */
export type Lookup = { name: string; expression: string; needle: Uint8Array }

export type AccountLookups = {
  /** The best one for these filters; counts what was asked for. */
  find(program: number, filters: readonly AccountFilter[]): Lookup | null
  /** Makes the one that is asked for most, if the program is large enough to be worth it. */
  tend(): void
  /** The program is gone. */
  forget(program: number): void
}

/** When a look-up is worth its room. */
export type LookupRules = { accountsMin: number; usesMin: number }

/** A part of the data that callers compare. */
type Field = { program: number; offset: number; length: number; uses: number; isMade: boolean }

export const LOOKUP_RULES: LookupRules = { accountsMin: 50_000, usesMin: 3 }

/** Each makes every write slower, and takes about a third of the room of the accounts. */
const MADE_MAX = 8
/** Callers may ask for any place; those asked for least are forgotten. */
const FIELDS_MAX = 256
/** Short needles are found everywhere, so looking for them saves little. */
const LENGTH_MIN = 4
/** No account has more data. */
const DATA_BYTES_MAX = 10 * 1024 * 1024

const NAME = /^lookup_(\d+)_(\d+)_(\d+)$/

export function openAccountLookups(tables: AccountTables, rules: LookupRules): AccountLookups {
  const fields = new Map<string, Field>()
  const named = "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB 'lookup_*'"
  for (const { name } of tables.rows<{ name: string }>(named)) {
    const [program = 0, offset = 0, length = 0] = NAME.exec(name)?.slice(1).map(Number) ?? []
    fields.set(name, { program, offset, length, uses: 0, isMade: true })
  }

  const note = (program: number, offset: number, length: number): Field => {
    const name = nameOf({ program, offset, length })
    const field = fields.get(name) ?? { program, offset, length, uses: 0, isMade: false }
    field.uses++
    fields.set(name, field)
    if (fields.size > FIELDS_MAX) forgetLeast(fields)
    return field
  }

  return {
    find(program, filters) {
      let best: Lookup | null = null
      for (const filter of filters) {
        if (filter.kind !== 'memcmp' || !isWorthIt(filter.offset, filter.bytes.length)) continue
        const field = note(program, filter.offset, filter.bytes.length)
        if (!field.isMade || (best && best.needle.length >= filter.bytes.length)) continue
        best = { name: nameOf(field), expression: expressionOf(field), needle: filter.bytes }
      }
      return best
    },

    forget(program) {
      for (const [name, field] of fields) {
        if (field.program !== program) continue
        if (field.isMade) drop(tables, field)
        fields.delete(name)
      }
    },

    tend() {
      const wanted = mostUsed([...fields.values()].filter(({ isMade }) => !isMade))
      if (!wanted || wanted.uses < rules.usesMin) return
      if (!hasAccounts(tables, wanted.program, rules.accountsMin)) {
        // Counted anew, so that a small program does not stand in the way of a large one.
        wanted.uses = 0
        return
      }
      const made = [...fields.values()].filter(({ isMade }) => isMade)
      const least = made.length < MADE_MAX ? null : leastUsed(made)
      if (least && least.uses >= wanted.uses) return
      if (least) drop(tables, least)
      make(tables, wanted)
      // What was of use long ago must not outweigh what is of use now.
      for (const field of fields.values()) field.uses = Math.floor(field.uses / 2)
    },
  }
}

function make(tables: AccountTables, field: Field): void {
  tables.run(
    `CREATE INDEX IF NOT EXISTS ${nameOf(field)} ON accounts (${expressionOf(field)}, pubkey)
     WHERE program = ${field.program}`,
  )
  field.isMade = true
}

function drop(tables: AccountTables, field: Field): void {
  // Statements that were made for it could not be run any more, and hold on to it.
  tables.statements.close()
  tables.run(`DROP INDEX IF EXISTS ${nameOf(field)}`)
  field.isMade = false
  field.uses = 0
}

/** Counting goes no further than it must. */
function hasAccounts(tables: AccountTables, program: number, count: number): boolean {
  const [row] = tables.rows<{ counted: bigint }>(
    'SELECT count(*) AS counted FROM (SELECT 1 FROM accounts WHERE program = ? LIMIT ?)',
    program,
    count,
  )
  return Number(row?.counted ?? 0) >= count
}

function isWorthIt(offset: number, length: number): boolean {
  return length >= LENGTH_MIN && offset + length <= DATA_BYTES_MAX
}

function nameOf({ program, offset, length }: Pick<Field, 'program' | 'offset' | 'length'>): string {
  return `lookup_${program}_${offset}_${length}`
}

function expressionOf({ offset, length }: Field): string {
  return dataSql(offset, length)
}

function mostUsed(fields: readonly Field[]): Field | undefined {
  return fields.toSorted((a, b) => b.uses - a.uses)[0]
}

function leastUsed(fields: readonly Field[]): Field | null {
  return fields.toSorted((a, b) => a.uses - b.uses)[0] ?? null
}

function forgetLeast(fields: Map<string, Field>): void {
  const least = leastUsed([...fields.values()].filter(({ isMade }) => !isMade))
  if (least) fields.delete(nameOf(least))
}
