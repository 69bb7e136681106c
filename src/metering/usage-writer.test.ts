import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { type QuietTelemetry, quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { type FaultyDatabase, faultyDatabase } from '../../tests/support/store/faulty-database.ts'
import { teamMonthCentiCu, usageTotals } from '../tables/usage/usage.ts'
import { openUsageWriter, type UsageWriter } from './usage-writer.ts'

const NOON = Date.UTC(2026, 4, 10, 12)

let clock: TestClock
let database: FaultyDatabase
let telemetry: QuietTelemetry
let usage: UsageWriter
let written: string[]

beforeEach(async () => {
  clock = testClock(NOON)
  database = faultyDatabase(await freshStore())
  telemetry = quietTelemetry()
  usage = openUsageWriter(testWorld({ clock, database, telemetry }))
  written = []
})

afterEach(() => database.close())

describe('the usage of several processes', () => {
  test('is added up, each batch once, and each writer told', async () => {
    record('a', 1, 'eth_call')
    record('b', 1, 'eth_call')
    record('b', 2, 'eth_chainId')
    // A batch under a number that was written before counts no more, but its writer may go on.
    record('b', 2, 'eth_chainId')
    await usage.flush()
    expect(written).toEqual(['a1', 'b1', 'b2', 'b2'])
    expect(await usageTotals(database, 'team_a', 0, NOON * 2)).toEqual({
      calls: 30,
      centiCu: 3000,
      bytes: 0,
    })
    expect(await teamMonthCentiCu(database, 'team_a', '2026-05')).toBe(3000)
  })

  test('waits while the store is away, and nobody is told before it is written', async () => {
    database.down = true
    record('a', 1, 'eth_call')
    record('b', 1, 'eth_call')
    for (let step = 0; step < 4; step++) await clock.advance(500)
    expect(written).toEqual([])
    expect(telemetry.counts.get('headgate_usage_write_failures_total')).toBeGreaterThan(1)
    database.down = false
    await clock.advance(1000)
    expect(written).toEqual(['a1', 'b1'])
    expect(await teamMonthCentiCu(database, 'team_a', '2026-05')).toBe(2000)
  })
})

function record(writer: string, sequence: number, method: string): void {
  const row = { teamId: 'team_a', appId: 'app', network: 'ETH', method, hourMs: NOON, bytes: 0 }
  const batch = { writer, sequence, atMs: NOON, rows: [{ ...row, calls: 10, centiCu: 1000 }] }
  usage.record(batch, () => written.push(writer + sequence))
}
