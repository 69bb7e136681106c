import { Database as Connection } from 'bun:sqlite'

/** One delivery a block, as on a chain with a block every two seconds. */
const BLOCK_MS = 2000

/** Every so manieth was given up, so that a filter has something to find. */
const FAILED_EVERY = 500

const RESULT = `{"block":{"number":1,"hash":"0x${'5c'.repeat(32)}"}}`

type StoredLog = { webhookId: string; deliveries: number; nowMs: number }

/**
 * Gives a webhook as many deliveries, one a block, in the SQLite store of a folder that nothing
 * has open. All are done, so that none of them is ever sent.
 */
export function addStoredLog(file: string, { webhookId, deliveries, nowMs }: StoredLog): void {
  const store = new Connection(file)
  const read = <T>(text: string, ...values: string[]) =>
    store.query<T, string[]>(text).get(...values)
  const webhook = read<{ number: number; network: string }>(
    'SELECT number, network FROM webhooks WHERE id = ?',
    webhookId,
  )
  if (!webhook) throw new Error(`there is no webhook ${webhookId}`)
  const { number, network } = webhook
  const last = read<{ event: number | null }>('SELECT MAX(event) AS event FROM events')?.event ?? 0
  const counted = `(WITH RECURSIVE counted (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${deliveries}) SELECT n FROM counted)`
  const createdAt = `${nowMs} - (${deliveries} - n) * ${BLOCK_MS}`
  const state = `CASE n % ${FAILED_EVERY} WHEN 0 THEN 2 ELSE 1 END`
  const status = `CASE n % ${FAILED_EVERY} WHEN 0 THEN 503 ELSE 200 END`
  const facts = '1,2,3,6,"ok","192.0.2.7","new",null,0'
  const line = `'[' || (${createdAt}) || ',' || ${status} || ',${facts},' || ${status} || ',6]'
    || char(10)`
  const bytes = Buffer.byteLength(RESULT)
  store.transaction(() => {
    store.run(`INSERT INTO events
      (event, network, sequence_number, block_number, block_hash, created_at_ms, parts)
      SELECT ${last} + n, '${network}', 1000000000000 + n, 1000000 + n,
        '0x' || printf('%064x', n), ${createdAt}, 1 FROM ${counted}`)
    store.run(`INSERT INTO results (key, bytes, data)
      SELECT (${last} + n) * 16777216, ${bytes}, '${RESULT}' FROM ${counted}`)
    store.run(`INSERT INTO deliveries (key, part, data_bytes, previous_sequence, state,
        attempts_made, done_at_ms, body_bytes, attempts_bytes, attempts)
      SELECT (${last} + n) * 16777216 + ${number}, 0, ${bytes}, 1000000000000 + n - 1, ${state},
        1, ${createdAt}, 300 + n % 700, 64, ${line} FROM ${counted}`)
    store.run(`INSERT INTO done_deliveries (webhook, state, event)
      SELECT ${number}, ${state}, ${last} + n FROM ${counted} ORDER BY 2, 3`)
    store.run(`UPDATE listing SET event = ${last + deliveries}, next_event = ${last + deliveries},
      created = 0`)
  })()
  store.close()
}
