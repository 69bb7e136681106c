import { sameKey } from '../../core/solana/programs.ts'
import { type NodeAccount, openAccountReader } from '../../core/solana/reply/node-account.ts'
import type { AccountChange } from '../../ports/account-store.ts'
import { packBody } from './account-store-body.ts'
import { OPEN_END } from './account-store-file.ts'
import type { AccountTables } from './account-store-tables.ts'

type VersionRow = { slot_from: bigint; slot_to: bigint; body: Uint8Array }

/** Rows that go at once; a reader waits no longer than for these. */
const PRUNED_AT_ONCE = 2_000

const SHOWN = 'SELECT slot_from, slot_to, body FROM accounts'
const OF_KEY = 'WHERE program = ? AND pubkey = ?'

const INSERT =
  'INSERT INTO accounts (program, pubkey, slot_from, slot_to, body, text) VALUES (?, ?, ?, ?, ?, ?)'

/** Writes down changes of accounts; returns how many were refused, being none. */
export function applyChanges(tables: AccountTables, changes: readonly AccountChange[]): number {
  const readers = new Map<number, (record: Uint8Array) => NodeAccount | null>()
  let refused = 0
  tables.together(() => {
    for (const { program, slot, record } of changes) {
      const id = tables.programId(program)
      const read = readers.get(id) ?? openAccountReader(program)
      readers.set(id, read)
      const account = read(record)
      if (account === null) refused++
      // A node tells of an account without lamports as of none.
      else {
        const body = account.lamports === 0n ? null : packBody(account)
        applyAt(tables, id, account.pubkey, { slot, isChange: true, body })
      }
    }
  })
  return refused
}

/** An account at the end of a slot. */
export type Fact = {
  slot: number
  /** It was written in this slot, perhaps as it was before; else it was only looked at then. */
  isChange: boolean
  /** Null: there is no such account. */
  body: Uint8Array | null
}

/** Writes down that from this slot on, until the next that is known of, an account is so. */
export function applyAt(
  tables: AccountTables,
  program: number,
  pubkey: Uint8Array,
  { slot, isChange, body }: Fact,
): void {
  const [shown] = tables.rows<VersionRow>(
    `${SHOWN} ${OF_KEY} AND slot_from <= ? AND slot_to > ? ORDER BY slot_from DESC LIMIT 1`,
    program,
    pubkey,
    slot,
    slot,
  )
  if (!shown) {
    if (body) insertBefore(tables, program, pubkey, slot, body)
    return
  }
  const began = Number(shown.slot_from)
  // A change to what was there already is kept: what was there may prove to be out of date.
  const isSame = body !== null && sameKey(shown.body, body)
  if (isSame && (began === slot || !isChange)) return
  if (began === slot) {
    tables.run(`DELETE FROM accounts ${OF_KEY} AND slot_from = ?`, program, pubkey, slot)
  } else {
    const end = `UPDATE accounts SET slot_to = ? ${OF_KEY} AND slot_from = ?`
    tables.run(end, slot, program, pubkey, began)
  }
  if (body) insert(tables, program, pubkey, slot, Number(shown.slot_to), body)
}

/** Where nothing is until the next version; if that is the same, it is older than we knew. */
function insertBefore(
  tables: AccountTables,
  program: number,
  pubkey: Uint8Array,
  slot: number,
  body: Uint8Array,
): void {
  const [next] = tables.rows<VersionRow>(
    `${SHOWN} ${OF_KEY} AND slot_from > ? ORDER BY slot_from LIMIT 1`,
    program,
    pubkey,
    slot,
  )
  if (!next || !sameKey(next.body, body)) {
    insert(tables, program, pubkey, slot, next ? Number(next.slot_from) : OPEN_END, body)
    return
  }
  const since = `UPDATE accounts SET slot_from = ? ${OF_KEY} AND slot_from = ?`
  tables.run(since, slot, program, pubkey, next.slot_from)
}

function insert(
  tables: AccountTables,
  program: number,
  pubkey: Uint8Array,
  slotFrom: number,
  slotTo: number,
  body: Uint8Array,
): void {
  tables.noteBodyBytes(program, body.length)
  const text = tables.textOf(program, body)
  tables.run(INSERT, program, pubkey, slotFrom, slotTo, body, text)
}

/** Forgets what was so before, and what is of a slot that is still to come. */
export function beginAnew(tables: AccountTables, program: number, slot: number): void {
  const ended = `slot_to < ${OPEN_END}`
  tables.run(
    `DELETE FROM accounts WHERE program = ? AND (${ended} OR slot_from > ?)`,
    program,
    slot,
  )
}

/** Forgets what ended at this slot or before; false when there is more of that. */
export function pruneEnded(tables: AccountTables, program: number, slot: number): boolean {
  const rows = tables.rows<{ pubkey: Uint8Array; slot_from: bigint }>(
    `SELECT pubkey, slot_from FROM accounts INDEXED BY ended
     WHERE program = ? AND slot_to <= ? AND slot_to < ${OPEN_END} LIMIT ?`,
    program,
    slot,
    PRUNED_AT_ONCE,
  )
  return tables.together(() => {
    for (const { pubkey, slot_from } of rows) {
      tables.run(`DELETE FROM accounts ${OF_KEY} AND slot_from = ?`, program, pubkey, slot_from)
    }
    return rows.length < PRUNED_AT_ONCE
  })
}

/** Forgets all programs but these; returns the others. */
export function keepOnly(tables: AccountTables, programs: readonly Uint8Array[]): number[] {
  const wanted = new Set(programs.map((program) => tables.programId(program)))
  const ids = tables.rows<{ id: bigint }>('SELECT id FROM programs').map(({ id }) => Number(id))
  const unwanted = ids.filter((id) => !wanted.has(id))
  for (const id of unwanted) {
    tables.together(() => {
      tables.run('DELETE FROM accounts WHERE program = ?', id)
      tables.run('DELETE FROM programs WHERE id = ?', id)
    })
    tables.forgetProgram(id)
  }
  return unwanted
}
