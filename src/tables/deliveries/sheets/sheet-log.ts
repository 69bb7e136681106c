import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, type Sql, sql } from '../../../ports/database.ts'
import type { NewDelivery } from '../new-delivery.ts'
import {
  type Arrival,
  arrivalAt,
  receiversOf,
  type SheetReceiver,
  type SheetRow,
} from './sheet-form.ts'
import { SHEET_COLUMNS } from './sheets.ts'

/** A delivery that stands on a sheet. */
export type SheetDelivery = NewDelivery & {
  /** Null while it is open. */
  arrival: Arrival | null
}

/** Whose deliveries are meant: all of a team, or those of one webhook. */
export type SheetOwner =
  | { teamId: string; webhookId?: string | undefined }
  | { teamId?: undefined; webhookId: string }

/** Few enough to be read in no time. */
const SHEETS_AT_ONCE = 64

/** As many as the rows of a height that are looked at. */
const SHEETS_OF_HEIGHT_MAX = 10_000

/** Null when it has a row of its own. */
export function deliveryOnSheet(
  row: SheetRow,
  index: number,
  receiver: SheetReceiver,
): SheetDelivery | null {
  const mark = row.marks[index]
  if (mark === 'm') return null
  const [webhookId, teamId, part, dataBytes, previousSequence] = receiver
  return {
    id: deliveryId(webhookId, row.sequence_number),
    webhookId,
    teamId,
    network: row.network,
    sequenceNumber: row.sequence_number,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    part,
    dataBytes,
    previousSequence,
    createdAtMs: row.created_at_ms,
    arrival: mark === 'a' ? arrivalAt(row, index) : null,
  }
}

/** The sheets of an event that may hold deliveries of theirs. */
export function sheetsOfEvent(
  db: Database,
  owner: SheetOwner,
  network: string,
  sequenceNumber: number,
): Promise<SheetRow[]> {
  return db.query<SheetRow>(sql`
    SELECT ${SHEET_COLUMNS} FROM sheets
    WHERE network = ${network} AND sequence_number = ${sequenceNumber} AND ${mayHold(owner)}`)
}

/** Those of one height; what was moved from there has a row. */
export async function deliveriesAtHeight(
  db: Database,
  owner: SheetOwner,
  block: number,
): Promise<SheetDelivery[]> {
  const rows = await db.query<SheetRow>(sql`
    SELECT ${SHEET_COLUMNS} FROM sheets
    WHERE network IN (SELECT webhooks.network FROM webhooks WHERE ${isOwned(owner)})
      AND block_number = ${block} AND ${mayHold(owner)}
    LIMIT ${SHEETS_OF_HEIGHT_MAX}`)
  return rows.flatMap((row) => ownedOn(row, owner))
}

/** All that a height has brought a delivery, whatever became of it. */
export async function webhooksOnSheetsAt(
  db: Database,
  network: string,
  block: number,
): Promise<Set<string>> {
  const rows = await db.query<{ receivers: string }>(sql`
    SELECT receivers FROM sheets WHERE network = ${network} AND block_number = ${block}
    LIMIT ${SHEETS_OF_HEIGHT_MAX}`)
  return new Set(rows.flatMap((row) => receiversOf(row).map(([webhookId]) => webhookId)))
}

/** Those created up to then that are open, the newest first, until there are enough of them. */
export async function openDeliveries(
  db: Database,
  owner: SheetOwner,
  upToMs: number,
  isEnough: (found: readonly SheetDelivery[], nextAtMs: number) => boolean,
): Promise<SheetDelivery[]> {
  const found: SheetDelivery[] = []
  let last: SheetRow | undefined
  do {
    const rows: SheetRow[] = await db.query<SheetRow>(sql`
      SELECT ${SHEET_COLUMNS} FROM sheets
      WHERE open > 0 AND created_at_ms <= ${last?.created_at_ms ?? upToMs}
        AND ${mayHold(owner)} ${last ? isBefore(last) : sql``}
      ORDER BY created_at_ms DESC, network DESC, sequence_number DESC, sheet DESC
      LIMIT ${SHEETS_AT_ONCE}`)
    const owned = rows.flatMap((row) => ownedOn(row, owner))
    found.push(...owned.filter(({ arrival }) => arrival === null))
    last = rows.length === SHEETS_AT_ONCE ? rows.at(-1) : undefined
  } while (last && !isEnough(found, last.created_at_ms))
  return found
}

/** How the webhooks are found whose deliveries are meant. */
export function isOwned({ teamId, webhookId }: SheetOwner): Sql {
  const ofTeam = teamId === undefined ? sql`` : sql`webhooks.team_id = ${teamId}`
  if (webhookId === undefined) return ofTeam
  const isOne = sql`webhooks.id = ${webhookId}`
  return teamId === undefined ? isOne : sql`${isOne} AND ${ofTeam}`
}

function ownedOn(row: SheetRow, { teamId, webhookId }: SheetOwner): SheetDelivery[] {
  return receiversOf(row).flatMap((receiver, index) => {
    const isTheirs = webhookId === undefined || receiver[0] === webhookId
    if (!isTheirs || (teamId !== undefined && receiver[1] !== teamId)) return []
    return deliveryOnSheet(row, index, receiver) ?? []
  })
}

/** Names may look alike to LIKE, so that each receiver is looked at afterwards. */
function mayHold({ teamId, webhookId }: SheetOwner): Sql {
  return sql`receivers LIKE ${`%"${webhookId ?? teamId}"%`}`
}

function isBefore({ created_at_ms, network, sequence_number, sheet }: SheetRow): Sql {
  return sql`AND (created_at_ms, network, sequence_number, sheet)
    < (${created_at_ms}, ${network}, ${sequence_number}, ${sheet})`
}
