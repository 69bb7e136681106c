import { countedIn, deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { receiversOf } from './sheet-form.ts'
import { deliveryOnSheet, type SheetDelivery, sheetsOfEvent } from './sheet-log.ts'

/** Where a delivery stands, or stood before it was moved. */
type SheetPlace = { webhookId: string; network: string; sequenceNumber: number }

type LogRow = { id: string; network: string; newest: number; oldest: number }

/** Events that an id may be of, one in 1.7 millions: far more than are kept. */
const EVENTS_TRIED_MAX = 16

/**
 * The delivery of a team by its id; 'moved' when it has a row of its own, null when there is
 * none. Nothing leads from an id to its event, but it tells enough to try the few there may be.
 */
export async function findOnSheets(
  db: Database,
  teamId: string,
  id: string,
): Promise<SheetDelivery | 'moved' | null> {
  const place = await placeOf(db, teamId, id)
  if (!place) return null

  const { webhookId, network, sequenceNumber } = place
  const owner = { teamId, webhookId }
  for (const row of await sheetsOfEvent(db, owner, network, sequenceNumber)) {
    for (const [index, receiver] of receiversOf(row).entries()) {
      if (receiver[0] === webhookId) return deliveryOnSheet(row, index, receiver) ?? 'moved'
    }
  }
  return null
}

async function placeOf(db: Database, teamId: string, id: string): Promise<SheetPlace | null> {
  const counted = countedIn(id)
  if (counted === null) return null

  const logs = await db.query<LogRow>(sql`
    SELECT id, network, newest, oldest FROM (
      SELECT webhooks.id, webhooks.network, webhook_marks.sequence_number AS newest,
        (SELECT MIN(sequence_number) FROM sheets WHERE sheets.network = webhooks.network) AS oldest
      FROM webhooks JOIN webhook_marks ON webhook_marks.webhook_id = webhooks.id
      WHERE webhooks.team_id = ${teamId}) AS logs
    WHERE newest >= oldest`)
  for (const { id: webhookId, network, newest, oldest } of logs) {
    for (const sequenceNumber of eventsCounted(counted, newest, oldest)) {
      if (deliveryId(webhookId, sequenceNumber) === id)
        return { webhookId, network, sequenceNumber }
    }
  }
  return null
}

/** Those whose number ends in these digits, the newest first. */
function eventsCounted(
  { value, modulus }: { value: number; modulus: number },
  newest: number,
  oldest: number,
): number[] {
  const events: number[] = []
  const first = newest - ((((newest - value) % modulus) + modulus) % modulus)
  for (let at = first; at >= oldest && events.length < EVENTS_TRIED_MAX; at -= modulus) {
    events.push(at)
  }
  return events
}
