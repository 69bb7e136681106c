import { Database as Connection } from 'bun:sqlite'

/** Each event goes to so many webhooks of its own. */
const WEBHOOKS = 100

/** Events whose deliveries are not listed yet, if there are many. */
const UNLISTED_MAX = 60

const STATE = 'CASE (event * 7 + n) % 100 WHEN 0 THEN 2 WHEN 1 THEN 3 WHEN 2 THEN 0 ELSE 1 END'
const RESULT = `{"data":{"block":{"logs":["Grüße, 世界, 😀 ${'0'.repeat(400)}"]}}}`
const ATTEMPT = `[1,200,0,0,1,1,"${'ö'.repeat(50)}",null,"new",null,0,200,1]\n`

/**
 * Adds as many deliveries, in each state, to the store of a folder that has a webhook. Their
 * webhooks are paused, so that nothing of it is ever sent.
 */
export function addManyDeliveries(file: string, deliveries: number, nowMs: number): void {
  const store = new Connection(file)
  const run = (text: string) => void store.run(text)
  const counted = (max: number) =>
    `(WITH RECURSIVE counted (n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${max}) SELECT n FROM counted)`
  const columns = store
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('webhooks')")
    .all()
    .map(({ name }) => name)
  const made: Record<string, string> = {
    id: "'wh_many_' || n",
    state: "'paused'",
    reason: "'MANUAL'",
    number: '(SELECT MAX(number) FROM webhooks) + n',
  }
  const before = store.query<{ event: number }, []>('SELECT MAX(event) AS event FROM events').get()
  const first = (before?.event ?? 0) + 1
  const last = first + Math.ceil(deliveries / WEBHOOKS) - 1
  const unlisted = Math.min(UNLISTED_MAX, Math.floor((last - first) / 2))
  const ofMany = `number > (SELECT MAX(number) FROM webhooks) - ${WEBHOOKS}`
  store.transaction(() => {
    run(`INSERT INTO webhooks (${columns.join(', ')})
      SELECT ${columns.map((name) => made[name] ?? name).join(', ')}
      FROM (SELECT * FROM webhooks ORDER BY number LIMIT 1), ${counted(WEBHOOKS)}`)
    run(`INSERT INTO events
      (event, network, sequence_number, block_number, block_hash, created_at_ms, parts)
      SELECT ${first - 1} + n, 'MANY_MAINNET', 1000000000000 + n, n, '0x' || n, ${nowMs}, 1
      FROM ${counted(last - first + 1)}`)
    run(`INSERT INTO results (key, bytes, data)
      SELECT event * 16777216, ${Buffer.byteLength(RESULT)}, '${RESULT}' FROM events
      WHERE event >= ${first}`)
    run(`INSERT INTO deliveries
      (key, part, data_bytes, state, attempts_made, done_at_ms, body_bytes, attempts_bytes, attempts)
      SELECT event * 16777216 + n, 0, ${Buffer.byteLength(RESULT)}, ${STATE}, 1, ${nowMs}, 700,
        ${Buffer.byteLength(ATTEMPT)}, '${ATTEMPT}'
      FROM events, (SELECT number AS n FROM webhooks WHERE ${ofMany})
      WHERE event >= ${first} ORDER BY 1`)
    const key = 'key % 16777216 AS webhook'
    const isNew = `key >= ${first} * 16777216`
    run(`INSERT INTO outbox (webhook, lane, event, due_at_ms)
      SELECT ${key}, 0, key / 16777216, ${nowMs} FROM deliveries
      WHERE ${isNew} AND state = 0 ORDER BY 1, 3`)
    run(`INSERT INTO done_deliveries (webhook, state, event)
      SELECT ${key}, state, key / 16777216 FROM deliveries
      WHERE ${isNew} AND (state > 1 OR state = 1 AND key < ${last - unlisted} * 16777216)
      ORDER BY 1, 2, 3`)
    run(
      `UPDATE listing SET event = ${last - unlisted - 1}, next_event = ${last - Math.floor(unlisted / 2)}`,
    )
    // What was delivered before and is not listed yet.
    run(`INSERT OR IGNORE INTO done_deliveries (webhook, state, event)
      SELECT ${key}, state, key / 16777216 FROM deliveries WHERE NOT ${isNew} AND state = 1`)
  })()
  store.close()
}
