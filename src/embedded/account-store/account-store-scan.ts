import { type NodeAccount, openAccountReader } from '../../core/solana/reply/node-account.ts'
import { openRecordCutter, type RecordCutter } from '../../core/solana/reply/record-cutter.ts'
import type { RecordListener } from '../../core/solana/reply/reply-cut.ts'
import type { MergeStep, Scan, ScanEnd } from '../../ports/account-store.ts'
import { HEAD_SQL, packBody, SPACE_SQL } from './account-store-body.ts'
import { FIRST, LAST, OPEN_END } from './account-store-file.ts'
import type { AccountTables } from './account-store-tables.ts'
import { applyAt } from './account-store-versions.ts'

type Reading = Scan & {
  id: number
  cutter: RecordCutter
  slot: bigint | null
  count: number
  refused: { code: number; message: string } | null
  fault: string | null
}

type ScannedRow = { pubkey: Uint8Array; body: Uint8Array }

/** Keys that are compared at once; a reader waits no longer than for these. */
const KEYS_AT_ONCE = 2_000

const BEFORE = new TextEncoder().encode('{"result":')
const AFTER = new TextEncoder().encode('}')

const INSERT = 'INSERT INTO spool.scanned (pubkey, space, body, text) VALUES (?, ?, ?, ?)'

/**
 * Scans are spooled before anything comes of them: half an answer leaves nothing behind, and
 * neither the order of the records nor where the node writes its slot matters.
 */
export function openAccountScans(tables: AccountTables) {
  let reading: Reading | null = null

  return {
    start(scan: Scan): void {
      tables.run('DELETE FROM spool.scanned')
      reading = openReading(tables, scan)
      reading.cutter.push(BEFORE)
    },
    add(bytes: Uint8Array): boolean {
      const current = reading
      if (!current || current.fault !== null) return false
      tables.together(() => {
        if (!current.cutter.push(bytes)) current.fault ??= 'garbage'
      })
      return current.fault === null
    },
    end(): ScanEnd {
      const ended = reading
      if (!ended) return { kind: 'unusable', reason: 'no_scan' }
      return tables.together(() => endOf(ended))
    },
    merge(slot: number, after: Uint8Array | null): MergeStep {
      if (!reading) return { after: null, differing: 0, closed: 0 }
      const { id, hasData } = reading
      return tables.together(() => mergeStep(tables, { id, hasData, slot, after }))
    },
  }
}

function openReading(tables: AccountTables, scan: Scan): Reading {
  const read = openAccountReader(scan.program)
  const listener: RecordListener = {
    envelope({ slot }) {
      reading.slot = slot
    },
    record(bytes) {
      if (reading.fault !== null) return
      const account = read(bytes)
      if (account === null) reading.fault = 'garbage'
      else if (account.lamports !== 0n) spool(tables, reading, account)
    },
    error({ code, message }) {
      reading.refused = { code, message }
    },
  }
  const reading: Reading = {
    ...scan,
    id: tables.programId(scan.program),
    cutter: openRecordCutter(listener),
    slot: null,
    count: 0,
    refused: null,
    fault: null,
  }
  return reading
}

function spool(tables: AccountTables, reading: Reading, account: NodeAccount): void {
  const space = account.space ?? (reading.hasData ? account.data.length : null)
  if (reading.hasData && space !== account.data.length) {
    reading.fault = 'garbage'
    return
  }
  try {
    const body = packBody(account)
    const text = reading.hasData ? tables.textOf(reading.id, body) : null
    tables.run(INSERT, account.pubkey, space, body, text)
    reading.count++
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    if (!code.startsWith('SQLITE_CONSTRAINT')) throw thrown
    reading.fault = 'repeated_account'
  }
}

function endOf(reading: Reading): ScanEnd {
  reading.cutter.push(AFTER)
  const end = reading.cutter.end()
  if (reading.fault !== null) return { kind: 'unusable', reason: reading.fault }
  if (end !== 'whole') return { kind: 'unusable', reason: end }
  if (reading.refused) return { kind: 'refused', ...reading.refused }
  // A node that holds back a part of its answer has not shown one moment.
  if (reading.cutter.pageKey !== null) return { kind: 'unusable', reason: 'cut_into_pages' }
  const slot = reading.slot === null ? Number.NaN : Number(reading.slot)
  if (!Number.isSafeInteger(slot)) return { kind: 'unusable', reason: 'no_slot' }
  return { kind: 'whole', slot, count: reading.count }
}

type Merging = { id: number; hasData: boolean; slot: number; after: Uint8Array | null }

function mergeStep(tables: AccountTables, merging: Merging): MergeStep {
  const from = merging.after ?? FIRST
  const [bound] = tables.rows<{ pubkey: Uint8Array }>(
    'SELECT pubkey FROM spool.scanned WHERE pubkey > ? ORDER BY pubkey LIMIT 1 OFFSET ?',
    from,
    KEYS_AT_ONCE - 1,
  )
  const to = bound?.pubkey ?? LAST
  const closed = closeMissing(tables, merging, from, to)
  let differing = merging.hasData ? insertUnknown(tables, merging, from, to) : 0
  for (const row of differingRows(tables, merging, from, to)) {
    differing++
    if (!merging.hasData) continue
    const { pubkey, body } = row
    applyAt(tables, merging.id, pubkey, { slot: merging.slot, isChange: false, body })
  }
  return { after: bound ? to : null, differing, closed }
}

/** Accounts that nothing is known of go in at once: at a first scan these are all. */
function insertUnknown(
  tables: AccountTables,
  { id, slot }: Merging,
  from: Uint8Array,
  to: Uint8Array,
): number {
  const unknown = `FROM spool.scanned s WHERE s.pubkey > ? AND s.pubkey <= ?
    AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.program = ? AND a.pubkey = s.pubkey)`
  const [row] = tables.rows<{ bytes: bigint | null }>(
    `SELECT max(length(s.body)) AS bytes ${unknown}`,
    from,
    to,
    id,
  )
  if (row?.bytes == null) return 0
  tables.noteBodyBytes(id, Number(row.bytes))
  return tables.statements.use(
    `INSERT INTO accounts (program, pubkey, slot_from, slot_to, body, text)
     SELECT ?, s.pubkey, ?, ${OPEN_END}, s.body, s.text ${unknown} ORDER BY s.pubkey`,
    (prepared) => Number(prepared.run(id, slot, from, to, id).changes),
  )
}

function differingRows(
  tables: AccountTables,
  { id, slot, hasData }: Merging,
  from: Uint8Array,
  to: Uint8Array,
): ScannedRow[] {
  const isOther = hasData
    ? 'a.body <> s.body'
    : `${head('a')} <> ${head('s')} OR ${SPACE_SQL.replace('body', 'a.body')} <> s.space`
  return tables.rows<ScannedRow>(
    `SELECT s.pubkey, s.body FROM spool.scanned s LEFT JOIN accounts a
       ON a.program = ? AND a.pubkey = s.pubkey AND a.slot_from <= ? AND a.slot_to > ?
     WHERE s.pubkey > ? AND s.pubkey <= ? AND (a.pubkey IS NULL OR ${isOther})`,
    id,
    slot,
    slot,
    from,
    to,
  )
}

function head(table: string): string {
  return HEAD_SQL.replace('body', `${table}.body`)
}

/** Nobody tells of an account that is closed: it is no longer among the others, that is all. */
function closeMissing(
  tables: AccountTables,
  { id, slot }: Merging,
  from: Uint8Array,
  to: Uint8Array,
): number {
  const gone = tables.rows<{ pubkey: Uint8Array }>(
    `SELECT a.pubkey FROM accounts a
     WHERE a.program = ? AND a.pubkey > ? AND a.pubkey <= ? AND a.slot_from <= ? AND a.slot_to > ?
       AND NOT EXISTS (SELECT 1 FROM spool.scanned s WHERE s.pubkey = a.pubkey)`,
    id,
    from,
    to,
    slot,
    slot,
  )
  for (const { pubkey } of gone) applyAt(tables, id, pubkey, { slot, isChange: false, body: null })
  return gone.length
}
