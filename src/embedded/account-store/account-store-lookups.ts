import type { AccountFilter } from '../../core/solana/account.ts'
import { dataSql } from './account-store-body.ts'
import type { AccountFile } from './account-store-file.ts'
import type { AccountTables } from './account-store-tables.ts'

/** A way to find the accounts that hold these bytes at one place of their data. */
export type Lookup = { name: string; expression: string; needle: Uint8Array }

export type AccountLookups = ReturnType<typeof openAccountLookups>

export type LookupRules = { accountsMin: number; usesMin: number }

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

export function openAccountLookups(file: AccountFile, rules: LookupRules) {
  const fields = new Map<string, Field>()
  for (const name of lookupsOf(file)) fields.set(name, { ...fieldOf(name), isMade: true })

  const note = (program: number, offset: number, length: number): Field => {
    const name = nameOf({ program, offset, length })
    const field = fields.get(name) ?? { program, offset, length, uses: 0, isMade: false }
    field.uses++
    fields.set(name, field)
    if (fields.size > FIELDS_MAX) forgetLeast(fields)
    return field
  }

  return {
    /** The best one for these filters; counts what was asked for. */
    find(program: number, filters: readonly AccountFilter[]): Lookup | null {
      let best: Lookup | null = null
      for (const filter of filters) {
        if (filter.kind !== 'memcmp' || !isWorthIt(filter.offset, filter.bytes.length)) continue
        const field = note(program, filter.offset, filter.bytes.length)
        if (!field.isMade || (best && best.needle.length >= filter.bytes.length)) continue
        best = { name: nameOf(field), expression: expressionOf(field), needle: filter.bytes }
      }
      return best
    },

    /** The look-up that is asked for most and not there yet, if its program is large enough. */
    nextChange() {
      const wanted = mostUsed([...fields.values()].filter(({ isMade }) => !isMade))
      if (!wanted || wanted.uses < rules.usesMin) return null
      if (!hasAccounts(file, wanted.program, rules.accountsMin)) {
        // Counted anew, so that a small program does not stand in the way of a large one.
        wanted.uses = 0
        return null
      }
      const made = [...fields.values()].filter(({ isMade }) => isMade)
      const least = made.length < MADE_MAX ? null : leastUsed(made)
      if (least && least.uses >= wanted.uses) return null
      return { make: nameOf(wanted), drop: least && nameOf(least) }
    },
    noteMade(name: string) {
      const field = fields.get(name)
      if (field) field.isMade = true
      // Uses of long ago must not outweigh those of now.
      for (const one of fields.values()) one.uses = Math.floor(one.uses / 2)
    },
    /** The look-up is about to be dropped. */
    noteDropped: (name: string) => void fields.delete(name),
    forget(programs: readonly number[]) {
      for (const [name, { program }] of fields) if (programs.includes(program)) fields.delete(name)
    },
  }
}

export function makeLookup(tables: AccountTables, name: string): void {
  const field = fieldOf(name)
  tables.run(
    `CREATE INDEX IF NOT EXISTS ${name} ON accounts (${expressionOf(field)}, pubkey)
     WHERE program = ${field.program}`,
  )
}

export function dropLookup(tables: AccountTables, name: string): void {
  tables.run(`DROP INDEX IF EXISTS ${nameOf(fieldOf(name))}`)
}

export function lookupsOf(file: AccountFile): string[] {
  const named = "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB 'lookup_*'"
  return file.rows<{ name: string }>(named).map(({ name }) => name)
}

/** Counting goes no further than it must. */
function hasAccounts(file: AccountFile, program: number, count: number): boolean {
  const [row] = file.rows<{ counted: bigint }>(
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

export function fieldOf(name: string): Field {
  const [program = 0, offset = 0, length = 0] = NAME.exec(name)?.slice(1).map(Number) ?? []
  return { program, offset, length, uses: 0, isMade: false }
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
