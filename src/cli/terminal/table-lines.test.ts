import { describe, expect, test } from 'bun:test'
import { coloursFor } from './colours.ts'
import { columnsOf } from './harmless-text.ts'
import { type Column, tableLines } from './table-lines.ts'

type Row = { id: string; name: string; count: number; note?: string | null }

const COLUMNS: Column<Row>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'name', of: ({ name }) => name, mayCut: true },
  { title: 'count', of: ({ count }) => count, align: 'right' },
  { title: 'note', of: ({ note }) => note, isExtra: true },
]

const ROWS: Row[] = [
  { id: 'a1', name: 'short', count: 7, note: 'seen' },
  { id: 'b22', name: '日本語 of many words', count: 12345 },
]

const plain = (columnsMax: number, rows = ROWS) =>
  tableLines(COLUMNS, rows, { colours: coloursFor(false), columnsMax })

describe('a table', () => {
  test('is aligned, wide characters too', () => {
    expect(plain(80)).toEqual([
      'id   name                  count  note',
      'a1   short                     7  seen',
      'b22  日本語 of many words  12345  –',
    ])
  })

  test('leaves out what is extra, and then cuts what may be cut', () => {
    expect(plain(34)).toEqual([
      'id   name                  count',
      'a1   short                     7',
      'b22  日本語 of many words  12345',
    ])
    expect(plain(24)).toEqual([
      'id   name          count',
      'a1   short             7',
      'b22  日本語 of m…  12345',
    ])
    for (const line of plain(24)) expect(columnsOf(line)).toBeLessThanOrEqual(24)
  })

  test('does not cut to nothing, however narrow the terminal is', () => {
    expect(plain(3)[2]).toBe('b22  日本語 …  12345')
  })

  test('is not moved by hostile names', () => {
    const [, line = ''] = plain(80, [{ id: 'x', name: '\x1b[2J\r\nroot', count: 1 }])
    expect(line).toBe('x   \\x1b[2J\\x0d root      1  –')
  })

  test('paints the text and not its padding', () => {
    const columns: Column<string>[] = [
      { title: 'state', of: (text) => ({ text, colour: 'green' }) },
      { title: 'x', of: () => 'x' },
    ]
    const painted = tableLines(columns, ['on'], { colours: coloursFor(true), columnsMax: 80 })
    expect(painted[1]).toBe('\x1b[32mon\x1b[39m     x')
  })
})
