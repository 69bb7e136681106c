import { describe, expect, test } from 'bun:test'
import { usageCsv } from '../../dashboard/pages/usage/csv-button.tsx'
import { ownColours, sumGroups } from '../../dashboard/pages/usage/usage-groups.ts'
import { besides, bucketStarts, usageViewOf } from '../../dashboard/pages/usage/usage-view.ts'
import { niceCeiling, stack } from '../../dashboard/parts/charts/column-chart.tsx'
import { type Column, cellClasses } from '../../dashboard/parts/data-table.tsx'
import {
  binaryBytes,
  bytes,
  middleCut,
  ms,
  percent,
  plural,
  short,
  succeededPercent,
} from '../../dashboard/parts/text/format.ts'
import { ageText, agoText, lengthText } from '../../dashboard/parts/text/time-ago.tsx'
import { monthName, utcDay, utcMoment } from '../../dashboard/parts/text/utc-dates.ts'

describe('figures in words', () => {
  test.each([
    [short(12_345), '12,345'],
    [short(1_234_567), '1.23 M'],
    [short(2_500_000_000), '2.5 B'],
    [percent(99.976), '99.98 %'],
    [ms(3.136), '3.14 ms'],
    [ms(184.4), '184 ms'],
    [ms(12_345), '12.3 s'],
    [bytes(999), '999 B'],
    [bytes(1500), '1.5 KB'],
    [binaryBytes(64 * 1024 * 1024), '64 MiB'],
    [plural(1, 'delivery', 'deliveries'), '1 delivery'],
    [plural(1200, 'block'), '1,200 blocks'],
    [middleCut('0x3b9a00000000f0a2'), '0x3b9a…f0a2'],
    [middleCut('0x3b9af0a2'), '0x3b9af0a2'],
  ])('%s', (written, wanted) => {
    expect(written).toBe(wanted)
  })

  test('one failure in a million is not rounded away', () => {
    expect(succeededPercent(1_000_000, 1)).toBe('99.99 %')
    expect(succeededPercent(10, 0)).toBe('100 %')
  })

  test.each([
    [-5000, 'in 5 s'],
    [0, 'just now'],
    [59_000, '59 s ago'],
    [90 * 60_000, '2 h ago'],
    [72 * 3_600_000, '3 d ago'],
  ])('%d ms ago', (agoMs, words) => {
    expect(agoText(agoMs)).toBe(words)
  })

  test('to the second for ten minutes, where that is asked for', () => {
    expect(ageText(125_000)).toBe('2 min 5 s')
    expect(ageText(600_000)).toBe('10 min')
    expect(lengthText(1)).toBe('1 s')
  })

  test('days are those of the bill, wherever the reader is', () => {
    const at = Date.parse('2026-11-29T23:30:00Z')
    expect(utcDay(at)).toBe('29 Nov')
    expect(utcMoment(at)).toBe('Sun 29 Nov, 23:30 UTC')
    expect(monthName('2026-11')).toBe('November')
  })
})

describe('the scale of a chart', () => {
  test.each([1, 7, 12, 13, 45, 99, 100, 1234, 987_654])('holds %d', (value) => {
    const ceiling = niceCeiling(value)
    expect(ceiling).toBeGreaterThanOrEqual(value)
    expect(ceiling).toBeLessThanOrEqual(Math.max(1, value * 2))
    expect(Number((ceiling / 3).toPrecision(3))).toBeCloseTo(ceiling / 3, 9)
  })

  test('is there where nothing is', () => {
    expect(niceCeiling(0)).toBe(1)
  })

  test('stacks the parts of a column from the bottom up', () => {
    expect(stack([30, 10], 100, 200)).toEqual([
      { y: 140, tall: 60 },
      { y: 120, tall: 20 },
    ])
  })
})

test('a cell has the classes of its column, and those of its row', () => {
  const column: Column<number> = { head: 'Errors', class: 'num c-narrow', cell: String }
  expect(cellClasses(column, 1)).toBe('num c-narrow')
  expect(cellClasses({ ...column, cellClass: 'quiet' }, 1)).toBe('num c-narrow quiet')
  const cellClass = (errors: number) => (errors > 0 ? 'bad' : '')
  expect(cellClasses({ ...column, cellClass }, 1)).toBe('num c-narrow bad')
  expect(cellClasses({ ...column, cellClass }, 0)).toBe('num c-narrow')
  expect(cellClasses({ cell: String }, 0)).toBeUndefined()
})

describe('usage', () => {
  const nowMs = Date.parse('2026-11-18T05:00:00Z')
  const viewOf = (query: string) => usageViewOf(new URLSearchParams(query), nowMs)

  test.each([
    ['', '2026-11', true],
    ['period=2026-02', '2026-02', false],
    ['period=2027-01', '2026-11', true],
    ['bucket=hour&period=2026-02-30', '2026-11-18', true],
    ['bucket=hour&period=2026-02-28', '2026-02-28', false],
    ['period=<script>', '2026-11', true],
  ])('%p is the period %s', (query, period, isCurrent) => {
    expect(viewOf(query)).toMatchObject({ period, isCurrent })
  })

  test('a month has a column a day, and steps over the end of a year', () => {
    expect(bucketStarts(viewOf('period=2026-02'))).toHaveLength(28)
    expect(bucketStarts(viewOf('bucket=hour'))).toHaveLength(24)
    expect(besides('2026-01', -1)).toBe('2025-12')
    expect(besides('2026-12-31', 1)).toBe('2027-01-01')
  })

  test('is summed by group, the largest first; those beyond the colours share one', () => {
    const point = (group: string | null, cu: number) => ({
      start: nowMs,
      group,
      cu,
      calls: 1,
      bytes: 2,
    })
    expect(sumGroups([point('a', 1), point('b', 5), point('a', 2), point(null, 1)])).toEqual([
      { id: 'b', cu: 5, calls: 1, bytes: 2 },
      { id: 'a', cu: 3, calls: 2, bytes: 4 },
      { id: '', cu: 1, calls: 1, bytes: 2 },
    ])
    expect([3, 6, 7].map(ownColours)).toEqual([3, 6, 5])
  })

  test('as a sheet has no formula in it, whatever an app is called', () => {
    const points = [{ start: nowMs, group: 'app_1', cu: 5, calls: 1, bytes: 2 }]
    const text = usageCsv(points, 'app', new Map([['app_1', '=SUM("a",1)']]))
    expect(text).toBe(
      'start,app_id,app_name,calls,cu,bytes\r\n' +
        '2026-11-18T05:00:00.000Z,app_1,"\'=SUM(""a"",1)",1,5,2\r\n',
    )
  })
})
