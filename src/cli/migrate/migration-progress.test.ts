import { expect, test } from 'bun:test'
import { migratedText, migrationProgress } from './migration-progress.ts'

const AT_START = {
  table: 'deliveries',
  rows: 500,
  rowsMax: 1_000_000,
  isDone: false,
  allRows: 1_000,
  allRowsMax: 4_000_000,
  elapsedMs: 10,
} as const

function shown(isTerminal: boolean) {
  const texts: string[] = []
  const show = migrationProgress({ isTerminal, write: (text) => void texts.push(text) })
  return { texts, show }
}

test('a file gets a line every few seconds, and one for each table that is done', () => {
  const { texts, show } = shown(false)
  show(AT_START)
  show({ ...AT_START, elapsedMs: 4_900, rows: 400_000 })
  show({ ...AT_START, elapsedMs: 10_000, rows: 400_500, allRows: 400_000 })
  show({ ...AT_START, elapsedMs: 10_100, rows: 400_900, allRows: 401_400 })
  show({ ...AT_START, elapsedMs: 10_200, rows: 1_000_000, isDone: true })
  expect(texts).toEqual([
    'copying deliveries: 400,500 of 1,000,000 rows, 40,000 rows/s, 10 % of all, 90 s left\n',
    'copied deliveries: 1,000,000 rows\n',
  ])
})

test('a terminal has one line that changes, above it the tables that are done', () => {
  const { texts, show } = shown(true)
  show(AT_START)
  show({ ...AT_START, elapsedMs: 300, allRows: 300 })
  show({ ...AT_START, elapsedMs: 400, isDone: true })
  expect(texts).toEqual([
    '\r\x1b[Kcopying deliveries: 500 of 1,000,000 rows, 1,000 rows/s, 0 % of all, 4,000 s left',
    '\r\x1b[Kcopied deliveries: 500 rows\n',
  ])
})

test('the last line adds it all up', () => {
  expect(migratedText({ rows: { teams: 2, events: 1_200_000 }, elapsedMs: 61_400 })).toBe(
    'Migrated 1,200,002 rows of 2 tables in 61 s.',
  )
})
