import { assert } from '../../core/errors.ts'
import { type Database, type Procedure, type Sql, sql } from '../../ports/database.ts'
import { arrayText } from '../../ports/driver-parts/array-text.ts'
import { backlogsOf, type EventToDeliver, writeEvent } from '../deliveries/create-deliveries.ts'
import type { EventResult } from '../deliveries/results.ts'
import { rowChunks } from '../sql/row-chunks.ts'
import { logBytesOf } from '../usage/log-bytes.ts'

const INSERT_RESULT = sql`
  INSERT INTO results (key, bytes, truncation, data, verified)
  VALUES (currval('event_numbers') * 16777216 + ${null}, ${null}, ${null}, ${null}, ${null})`

/**
 * Writes an event and all that belongs to it in one statement, and its results in another that
 * does not wait for the number of the event: a connection runs statements in the order they are
 * sent. Hot path: events bring few deliveries each, so that a statement for each table costs the
 * server as much as the rows do.
 */
export const writeEventOnPostgres: typeof writeEvent = {
  name: writeEvent.name,
  async run(tx, [toDeliver]) {
    const [[written]] = await Promise.all([
      tx.query<{ event: number }>(insertAll(toDeliver)),
      insertResults(tx, toDeliver.results),
    ])
    assert(written !== undefined, 'an insert writes a row')
    return written.event
  },
} satisfies Procedure<[EventToDeliver], number>

async function insertResults(tx: Database, results: readonly EventResult[]): Promise<void> {
  const rows = results.map(({ data, bytes, truncation, isVerified }, part) => [
    part,
    bytes,
    truncation && JSON.stringify(truncation),
    data,
    isVerified ? 1 : 0,
  ])
  await Promise.all(rowChunks(rows).map((chunk) => tx.each(INSERT_RESULT, chunk)))
}

function insertAll({ event, results, deliveries, lane, isMarked }: EventToDeliver): Sql {
  const { network, sequenceNumber, createdAtMs } = event
  const numbers = (column: (one: EventToDeliver['deliveries'][number]) => number | null) =>
    sql`CAST(${arrayText(deliveries.map(column))} AS BIGINT[])`
  const backlogs = backlogsOf(deliveries)
  return sql`
    WITH new_event AS (
      INSERT INTO events
        (network, sequence_number, webhook, block_number, block_hash, error, created_at_ms, parts,
        rerun)
      VALUES (${network}, ${sequenceNumber}, ${event.webhook}, ${event.blockNumber},
        ${event.blockHash}, ${event.error}, ${createdAtMs}, ${results.length},
        ${event.isRerun ? 1 : 0})
      RETURNING event),
    given AS (
      SELECT * FROM new_event CROSS JOIN unnest(
        ${numbers(({ webhook }) => webhook)},
        ${numbers(({ part }) => part)},
        ${numbers(({ dataBytes }) => dataBytes)},
        ${numbers(({ previousSequence }) => previousSequence)},
        ${numbers(({ replay }) => (replay ? 1 : 0))})
      AS given (webhook, part, data_bytes, previous_sequence, replay)),
    created AS (
      INSERT INTO deliveries (key, part, data_bytes, previous_sequence, replay, version)
      SELECT event * 16777216 + webhook, part, data_bytes, previous_sequence, replay, replay
      FROM given),
    queued AS (
      INSERT INTO outbox (webhook, lane, event, due_at_ms)
      SELECT webhook, CAST(${lane} AS BIGINT), event, CAST(${createdAtMs} AS BIGINT) FROM given),
    marked AS (
      INSERT INTO webhook_marks (webhook, sequence_number)
      SELECT webhook, CAST(${sequenceNumber} AS BIGINT) FROM given
      WHERE CAST(${isMarked ? 1 : 0} AS BIGINT) = 1
      ON CONFLICT (webhook) DO UPDATE SET sequence_number = excluded.sequence_number),
    sized AS (
      INSERT INTO log_sizes (part, bytes)
      VALUES (${network}, ${logBytesOf(results, deliveries.length)})
      ON CONFLICT (part) DO UPDATE SET bytes = log_sizes.bytes + excluded.bytes),
    counted AS (
      INSERT INTO team_backlogs (team_id, part, bytes)
      SELECT team_id, CAST(${network} AS TEXT), bytes FROM unnest(
        CAST(${arrayText(backlogs.map(([teamId]) => teamId))} AS TEXT[]),
        CAST(${arrayText(backlogs.map(([, bytes]) => bytes))} AS BIGINT[])) AS given (team_id, bytes)
      ON CONFLICT (team_id, part) DO UPDATE SET bytes = team_backlogs.bytes + excluded.bytes)
    SELECT event FROM new_event`
}
