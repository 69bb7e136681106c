import { expect, test } from 'bun:test'
import { type Database, sql } from '../../src/ports/database.ts'
import { failureOf } from '../support/basics/failure-of.ts'
import { eachValuesExam } from './each-values-exam.ts'

/** One statement for many rows. */
export function eachExam(db: () => Database, bodies: () => Promise<string[]>): void {
  eachValuesExam(db, bodies)
  const add = sql`INSERT INTO exam_notes (id, body) VALUES (${null}, ${null})`
  const rename = sql`UPDATE exam_notes SET body = ${null} WHERE body = ${null}`

  test('a statement for each of many rows says how many rows each wrote', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => [at, at % 2 === 0 ? 'even' : 'odd'])
    expect(await db().each(add, rows)).toEqual(rows.map(() => 1))
    const renamed = await db().each(rename, [
      ['both', 'even'],
      ['none', 'nobody'],
      ['both', 'odd'],
    ])
    expect(renamed).toEqual([150, 0, 150])
    expect(new Set(await bodies())).toEqual(new Set(['both']))
  })

  test('of many rows all are written or none', async () => {
    const doubled = db().each(add, [
      [1, 'a'],
      [2, 'b'],
      [1, 'c'],
    ])
    expect(await failureOf(doubled)).toBeInstanceOf(Error)
    expect(await bodies()).toEqual([])
  })

  test('for no rows nothing happens', async () => {
    expect(await db().each(add, [])).toEqual([])
  })

  test('within a transaction it ends with it', async () => {
    const doomed = db().transaction(async (tx) => {
      expect(await tx.each(add, [[1, 'a']])).toEqual([1])
      throw new Error('no')
    })
    expect(await failureOf(doomed)).toBeInstanceOf(Error)
    await db().transaction((tx) => tx.each(add, [[2, 'kept']]))
    expect(await bodies()).toEqual(['kept'])
  })

  test('statements of a transaction that are not waited for are obeyed in their order', async () => {
    const seen = await db().transaction(async (tx) => {
      const [, , rows] = await Promise.all([
        tx.each(add, [[1, 'a']]),
        tx.each(rename, [['b', 'a']]),
        tx.query<{ body: string }>(sql`SELECT body FROM exam_notes`),
      ])
      return rows
    })
    expect(seen).toEqual([{ body: 'b' }])
  })
}
