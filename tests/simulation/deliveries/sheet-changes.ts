import { deliveryId } from '../../../src/core/delivery/delivery-id.ts'
import {
  arrivalsOf,
  receiversOf,
  type SheetRow,
} from '../../../src/tables/deliveries/sheets/sheet-form.ts'
import type { Change, ChangeOf, DeliveryRow } from './journal-changes.ts'

/** A sheet before and after a statement. */
export type SheetChange = { table: 'sheets'; old: SheetRow | null; now: SheetRow | null }

/**
 * What the journal says of sheets, told as if each delivery had a row: whoever judges need not
 * know where it stands.
 */
export function withoutSheets(changes: readonly (Change | SheetChange)[]): Change[] {
  const moved = movedIn(changes)
  return changes.flatMap((change): Change[] => {
    if (change.table === 'sheets') return told(change)
    if (change.table !== 'deliveries' || change.old || !change.now) return [change]
    return [{ ...change, old: moved.get(change.now.id) ?? null }]
  })
}

/** Those that got rows, as they were before. */
function movedIn(changes: readonly (Change | SheetChange)[]): Map<string, DeliveryRow> {
  const moved = new Map<string, DeliveryRow>()
  for (const change of changes) {
    if (change.table !== 'sheets' || !change.old || !change.now) continue
    for (const index of change.old.marks.split('').keys()) {
      const isMoved = change.now.marks[index] === 'm' && change.old.marks[index] !== 'm'
      const row = isMoved ? rowAt(change.old, index) : null
      if (row) moved.set(row.id, row)
    }
  }
  return moved
}

function told({ old, now }: SheetChange): ChangeOf<'deliveries'>[] {
  const marks = (now ?? old)?.marks ?? ''
  return marks.split('').flatMap((_, index): ChangeOf<'deliveries'>[] => {
    const [before, after] = [old?.marks[index], now?.marks[index]]
    if (before === after || before === 'm' || after === 'm') return []
    const was = old ? rowAt(old, index) : null
    return [{ table: 'deliveries', old: was, now: now ? rowAt(now, index) : null }]
  })
}

/** The deliveries that stand on a sheet and have no rows. */
export function rowsOn(sheet: SheetRow): DeliveryRow[] {
  return sheet.marks.split('').flatMap((_, index) => rowAt(sheet, index) ?? [])
}

/** Null when it has a row. */
function rowAt(sheet: SheetRow, index: number): DeliveryRow | null {
  const receiver = receiversOf(sheet)[index]
  const mark = sheet.marks[index]
  if (!receiver || mark === 'm') return null
  const [webhookId, teamId, part, dataBytes, previousSequence] = receiver
  const arrival = mark === 'a' ? arrivalsOf(sheet).get(index) : undefined
  if (mark === 'a' && !arrival) throw new Error('what arrived has no line')
  return {
    id: deliveryId(webhookId, sheet.sequence_number),
    webhook_id: webhookId,
    team_id: teamId,
    network: sheet.network,
    kind: 'data',
    sequence_number: sheet.sequence_number,
    block_number: sheet.block_number,
    part,
    error: null,
    previous_sequence: previousSequence,
    state: arrival ? 'delivered' : 'waiting',
    created_at_ms: sheet.created_at_ms,
    due_at_ms: sheet.created_at_ms,
    attempts_made: arrival ? 1 : 0,
    lease: null,
    lease_until_ms: 0,
    body_bytes: arrival?.bodyBytes ?? null,
    replay: 0,
    lane: arrival ? 'retry' : 'first',
    data_bytes: dataBytes,
  }
}
