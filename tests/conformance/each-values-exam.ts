import { expect, test } from 'bun:test'
import { type Database, sql } from '../../src/ports/database.ts'
import { failureOf } from '../support/basics/failure-of.ts'

const TEXTS = [
  [
    '',
    ' ',
    'NULL',
    'null',
    '{}',
    '{"a","b"}',
    ',',
    '"',
    '\\',
    '\\"',
    '\\\\x61',
    '\n\t',
    '$1',
    `it's`,
  ],
  ['Grüße, 世界, 😀', '\u202eright to left', '\u2028', '\r\n', '""', '}{', '(,)', 'a"b\\c,d{e}f'],
  ['"\\'.repeat(5000), 'x'.repeat(100_000), '😀'.repeat(3000)],
]

/** One statement for many rows, with values that mean something to a server. */
export function eachValuesExam(db: () => Database, bodies: () => Promise<string[]>): void {
  const add = sql`INSERT INTO exam_notes (id, body) VALUES (${null}, ${null})`
  const fill = sql`
    INSERT INTO exam_notes (id, body, amount, raw) VALUES (${null}, ${null}, ${null}, ${null})`
  const rename = sql`UPDATE exam_notes SET body = ${null} WHERE body = ${null}`

  test.each(TEXTS)('texts of many rows come back as they went in (%#)', async (...texts) => {
    const rows = texts.map((text, at) => [
      at,
      text,
      at === 1 ? null : 2 ** 53 - 1 - at,
      bytesOf(text),
    ])
    expect(await db().each(fill, rows)).toEqual(rows.map(() => 1))
    const kept = await db().query<{ body: string; amount: number | null; raw: Uint8Array }>(
      sql`SELECT body, amount, raw FROM exam_notes ORDER BY id`,
    )
    const found = kept.map(({ body, amount, raw }, at) => [at, body, amount, new Uint8Array(raw)])
    expect(found).toEqual(rows)
    const renamed = await db().each(
      rename,
      texts.map((text) => [`${text}!`, text]),
    )
    expect(renamed).toEqual(texts.map(() => 1))
    expect(await bodies()).toEqual(texts.map((text) => `${text}!`))
  })

  test.each([[1.5], [Number.NaN], [2 ** 53], ['a\0b']])('%p is refused in a row', async (value) => {
    const rows = [[1, 'a'], typeof value === 'number' ? [value, 'b'] : [2, value]]
    expect(await failureOf(db().each(add, rows))).toBeInstanceOf(Error)
    expect(await bodies()).toEqual([])
  })

  test('a column without any value stays empty', async () => {
    await db().each(fill, [
      [1, null, 7, null],
      [2, null, 8, null],
    ])
    expect(await db().query(sql`SELECT id, body, amount, raw FROM exam_notes ORDER BY id`)).toEqual(
      [
        { id: 1, body: null, amount: 7, raw: null },
        { id: 2, body: null, amount: 8, raw: null },
      ],
    )
  })
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
