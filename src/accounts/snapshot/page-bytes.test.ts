import { expect, test } from 'bun:test'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openRecordLog } from '../record-log/record-log.ts'
import { pageBytes } from './page-bytes.ts'

const budget = { take: () => true, give: () => {} }
const nowhere = { create: () => Promise.reject(new Error('no disk')), clear: async () => {} }

const PIECE_BYTES = 256 * 1024

const RECORDS = [10, 2_000_000, 0, 700_000, 300_000].map((chars) => `{"a":"${'x'.repeat(chars)}"}`)

test.each([
  ['asc', ''],
  ['asc', ',"pageKey":"k"'],
  ['desc', ''],
  ['desc', ',"pageKey":"k"'],
] as const)('records of megabytes are handed on in small pieces: %s %s', async (order, inside) => {
  const log = openRecordLog(systemClock(), { spill: nowhere, budget })
  for (const [at, record] of RECORDS.entries()) {
    log.add(Buffer.from(record), new Uint8Array(32).fill(at))
  }
  log.end()
  const from = order === 'asc' ? 0 : RECORDS.length - 1
  const span = { order, from, limit: 4, bytesMax: 1e9 }
  const frame = { before: '[', end: () => ({ inLastRecord: inside, after: ']' }) }

  const pieces: Uint8Array[] = []
  for await (const piece of pageBytes(log, span, frame)) pieces.push(piece)
  const shown = (order === 'asc' ? RECORDS : RECORDS.toReversed()).slice(0, 4)
  const whole = `[${shown.join().slice(0, -1)}${inside}}]`
  expect(Buffer.concat(pieces).toString() === whole).toBe(true)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(PIECE_BYTES)
})
