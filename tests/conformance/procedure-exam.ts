import { expect, test } from 'bun:test'
import { type Database, sql } from '../../src/ports/database.ts'
import { failureOf } from '../support/basics/failure-of.ts'
import { addNotes } from '../support/store/exam-procedure.ts'

/** Procedures, wherever the driver runs them. */
export function procedureExam(db: () => Database): void {
  const notes = async () => (await db().query(sql`SELECT id FROM exam_notes`)).length

  test('a procedure is committed when it is answered', async () => {
    expect(await db().perform(addNotes, [1, 2, 3])).toEqual({ added: 3 })
    expect(await notes()).toBe(3)
  })

  test('a procedure that fails leaves nothing behind, and says why', async () => {
    expect(String(await failureOf(db().perform(addNotes, [1, 2, 1])))).toMatch(/unique/i)
    expect(await notes()).toBe(0)
  })

  test('a procedure takes its turn among transactions and other procedures', async () => {
    const inside = db().transaction(async (tx) => {
      await tx.query(sql`INSERT INTO exam_notes (id) VALUES (1)`)
      await Bun.sleep(5)
      throw new Error('no')
    })
    const calls = [db().perform(addNotes, [1, 2]), db().perform(addNotes, [3])]
    expect(await failureOf(inside)).toBeInstanceOf(Error)
    expect(await Promise.all(calls)).toEqual([{ added: 2 }, { added: 1 }])
    expect(await notes()).toBe(3)
  })

  test('within a transaction a procedure is a part of it', async () => {
    const doomed = db().transaction(async (tx) => {
      await tx.query(sql`INSERT INTO exam_notes (id) VALUES (1)`)
      expect(await tx.perform(addNotes, [2])).toEqual({ added: 1 })
      throw new Error('no')
    })
    expect(await failureOf(doomed)).toBeInstanceOf(Error)
    expect(await notes()).toBe(0)
    await db().transaction((tx) => tx.perform(addNotes, [1, 2]))
    expect(await notes()).toBe(2)
  })
}
