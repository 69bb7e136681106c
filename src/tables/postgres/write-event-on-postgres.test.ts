import { expect, test } from 'bun:test'
import type { SqlValue, Transaction } from '../../ports/database.ts'
import { LANE } from '../deliveries/outbox.ts'
import { writeEventOnPostgres } from './write-event-on-postgres.ts'

const MIB = 2 ** 20

test('large results are sent some at a time', async () => {
  const sent: number[] = []
  const tx = {
    query: async () => [{ event: 1 }],
    async each(_statement: unknown, rows: readonly (readonly SqlValue[])[]) {
      sent.push(rows.flat().reduce<number>((sum, one) => sum + String(one ?? '').length, 0))
      return rows.map(() => 1)
    },
  } as unknown as Transaction
  const data = 'x'.repeat(5 * MIB)
  const event = {
    network: 'ETH_MAINNET',
    sequenceNumber: 1,
    webhook: null,
    blockNumber: 1,
    blockHash: null,
    error: null,
    createdAtMs: 0,
  }
  const results = Array.from({ length: 12 }, () => ({ data, bytes: 5 * MIB, truncation: null }))
  const given = { event, results, deliveries: [], lane: LANE.new, isMarked: true }
  expect(await writeEventOnPostgres.run(tx, [given])).toBe(1)
  expect(sent.reduce((sum, chars) => sum + chars, 0)).toBeGreaterThan(60 * MIB)
  expect(Math.max(...sent)).toBeLessThan(17 * MIB)
})
