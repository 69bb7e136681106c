import { Database } from 'bun:sqlite'

export type OldWebhook = { id: string; url: string; state: string; ordered: number }

/** As attempts have it. */
const TIME_MS = /\b\d{13}\b/g

/** Everything happened so much later, and all receivers are at one address now. */
export function moveHere(file: string, shiftMs: number, receiverUrl: string): OldWebhook[] {
  const store = openOld(file)
  store.run('UPDATE sheets SET created_at_ms = created_at_ms + ?', [shiftMs])
  store.run(
    `UPDATE deliveries SET created_at_ms = created_at_ms + ?1, due_at_ms = due_at_ms + ?1,
      done_at_ms = done_at_ms + ?1`,
    [shiftMs],
  )
  for (const [table, column] of [
    ['sheets', 'arrivals'],
    ['deliveries', 'attempts'],
  ]) {
    const rows = store.query<{ rowid: number; lines: string }, []>(
      `SELECT rowid, ${column} AS lines FROM ${table}`,
    )
    for (const { rowid, lines } of rows.all()) {
      const moved = lines.replace(TIME_MS, (time) => `${Number(time) + shiftMs}`)
      store.run(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, [moved, rowid])
    }
  }
  const all = store.query<OldWebhook, []>('SELECT id, url, state, ordered FROM webhooks').all()
  for (const { id, url } of all) {
    const { pathname } = new URL(url)
    store.run('UPDATE webhooks SET url = ? WHERE id = ?', [receiverUrl + pathname, id])
  }
  store.close()
  return all
}

/** Adds so many older events of one delivery each, so that opening the folder takes a while. */
export function inflate(file: string, events: number): void {
  const store = openOld(file)
  const older = `WITH RECURSIVE older (by) AS
    (SELECT 1 UNION ALL SELECT by + 1 FROM older WHERE by < ${events})`
  const one = "WHERE network = 'OTHER_CHAIN' AND sequence_number = 1000000000002"
  const size = store
    .query<{ log: number; attempts: number }, []>(`
      SELECT (SELECT SUM(bytes) FROM results ${one}) + 1024 AS log,
        (SELECT LENGTH(arrivals) FROM sheets ${one}) AS attempts`)
    .get()
  store.run(`${older}
    INSERT INTO sheets (network, sequence_number, sheet, block_number, block_hash, created_at_ms,
      open, marks, receivers, arrivals)
    SELECT network, sequence_number - by, sheet, block_number - by, block_hash,
      created_at_ms - by * 100, open, marks, receivers, arrivals FROM sheets, older ${one}`)
  store.run(`${older}
    INSERT INTO results (network, sequence_number, part, data, bytes, truncation)
    SELECT network, sequence_number - by, part, data, bytes, truncation FROM results, older ${one}`)
  const grow = 'UPDATE log_sizes SET bytes = bytes + ? WHERE part = ?'
  store.run(grow, [events * (size?.log ?? 0), 'OTHER_CHAIN'])
  store.run(grow, [events * (size?.attempts ?? 0), 'attempts'])
  store.close()
}

function openOld(file: string): Database {
  return new Database(file, { create: false, readwrite: true })
}
