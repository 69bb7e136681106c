import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openSqlite } from '../embedded/database/sqlite-database.ts'
import { type Database, sql } from '../ports/database.ts'
import { applyMigration, migrate, openRecord } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'

const VERSION = 13

let db: Database
beforeEach(async () => {
  db = openSqlite(':memory:')
  await openRecord(db)
  for (const { version } of MIGRATIONS) {
    if (version < VERSION) await db.perform(applyMigration, [version])
  }
})
afterEach(() => db.close())

test('events of before are known as re-runs where they replaced one that brought something', async () => {
  const events: [
    network: string,
    sequence: number,
    webhook: number | null,
    block: number | null,
  ][] = [
    ['A', 1_001, null, 5],
    ['A', 1_002, null, 6],
    ['A', 1_003, null, 6],
    ['A', 1_004, null, 7],
    // A replay has the number of the event that it repeats, or the height.
    ['A', 1_003, 4, 6],
    ['A', 6, 4, 6],
    ['B', 1_003, null, 5],
    // An error has no block.
    ['A', -3, null, null],
    ['A', -4, null, null],
  ]
  for (const [network, sequence, webhook, block] of events) {
    await db.query(sql`
      INSERT INTO events (network, sequence_number, webhook, block_number, created_at_ms, parts)
      VALUES (${network}, ${sequence}, ${webhook}, ${block}, 1, 1)`)
  }
  await db.query(sql`
    INSERT INTO chains (network, sequence_number, tip_number, tip_hash, updated_at_ms)
    VALUES ('A', 1004, 7, '0x7', 1)`)
  await migrate(db)
  const rerun = await db.query(sql`SELECT event FROM events WHERE rerun = 1`)
  expect(rerun).toEqual([{ event: 3 }])
  const chains = await db.query(sql`SELECT highest_number, tip_rerun FROM chains`)
  expect(chains).toEqual([{ highest_number: 7, tip_rerun: 0 }])
})
