import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Database, type SqlValue, sql, sqlRows } from '../../src/ports/database.ts'
import { failureOf } from '../support/basics/failure-of.ts'
import { eachExam } from './each-exam.ts'
import { procedureExam } from './procedure-exam.ts'

const [TAKERS, SLOTS, TRANSFERS] = [120, 100, 40] as const

/** What every driver must do. `open` gives a database whose exam_* tables are ours to drop. */
export function databaseConformance(driver: string, open: () => Promise<Database>): void {
  describe(`${driver} database`, () => {
    let db: Database

    beforeEach(async () => {
      db = await open()
      await db.query(sql`DROP TABLE IF EXISTS exam_notes`)
      // SQLite takes any name for a type, so the one PostgreSQL knows for bytes serves both.
      await db.query(sql`CREATE TABLE exam_notes
        (id BIGINT PRIMARY KEY, body TEXT, amount BIGINT, raw BYTEA)`)
    })

    afterEach(() => db.close())

    const bodies = async () => {
      const rows = await db.query<{ body: string }>(sql`SELECT body FROM exam_notes ORDER BY id`)
      return rows.map((row) => row.body)
    }

    valuesExam(() => db)
    statementsExam(() => db)
    eachExam(() => db, bodies)
    procedureExam(() => db)
    transactionsExam(() => db, bodies)
    takingTurnsExam(() => db, bodies)
    closingExam(open)
  })
}

function valuesExam(db: () => Database): void {
  const roundTrip = async (column: 'body' | 'amount' | 'raw', value: SqlValue) => {
    const name = { body: sql`body`, amount: sql`amount`, raw: sql`raw` }[column]
    await db().query(sql`INSERT INTO exam_notes (id, ${name}) VALUES (${1}, ${value})`)
    const rows = await db().query<{ value: SqlValue }>(
      sql`SELECT ${name} AS value FROM exam_notes WHERE id = ${1}`,
    )
    return rows[0]?.value
  }

  test.each([
    [''],
    ['plain'],
    [`it's "quoted"; -- and $1 ? :name @x`],
    ['Grüße, 世界, 😀, \u202eright to left'],
    ['line\nbreak\ttab\\backslash'],
    ['x'.repeat(1_000_000)],
  ])('text comes back as it went in (%#)', async (text) => {
    expect(await roundTrip('body', text)).toBe(text)
  })

  test.each([
    [0],
    [1],
    [-1],
    [2 ** 31],
    [-(2 ** 31) - 1],
    [2 ** 32],
    [Number.MAX_SAFE_INTEGER],
    [Number.MIN_SAFE_INTEGER],
  ])('the whole number %d comes back as a number', async (amount) => {
    expect(await roundTrip('amount', amount)).toBe(amount)
  })

  test('bytes come back as they went in', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const back = await roundTrip('raw', bytes)
    expect(back).toBeInstanceOf(Uint8Array)
    expect(Array.from(back as Uint8Array)).toEqual(Array.from(bytes))
  })

  test.each(['body', 'amount', 'raw'] as const)('null stays null in %s', async (column) => {
    expect(await roundTrip(column, null)).toBeNull()
  })

  test.each([[1.5], [Number.NaN], [Number.POSITIVE_INFINITY], [2 ** 53]])(
    'the number %d is refused instead of being rounded',
    async (amount) => {
      expect(await failureOf(roundTrip('amount', amount))).toBeInstanceOf(Error)
      expect(await db().query(sql`SELECT id FROM exam_notes`)).toEqual([])
    },
  )

  test('a stored number beyond 2^53 is refused when read instead of being rounded', async () => {
    await db().query(sql`INSERT INTO exam_notes (id, amount) VALUES (1, 9007199254740993)`)
    expect((await failureOf(db().query(sql`SELECT amount FROM exam_notes`))).message).toContain(
      '2^53',
    )
  })

  test('text with a NUL is refused', async () => {
    expect(await failureOf(roundTrip('body', 'a\0b'))).toBeInstanceOf(Error)
  })
}

function statementsExam(db: () => Database): void {
  test('one INSERT stores many rows', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => [index, `note ${index}`])
    await db().query(sql`INSERT INTO exam_notes (id, body) VALUES ${sqlRows(rows)}`)
    const [counted] = await db().query<{ count: number; last: number }>(
      sql`SELECT COUNT(*) AS count, MAX(id) AS last FROM exam_notes`,
    )
    expect(counted).toEqual({ count: 1_000, last: 999 })
  })

  test('ON CONFLICT DO UPDATE adds to what is there', async () => {
    const add = (rows: SqlValue[][]) =>
      db().query(sql`
        INSERT INTO exam_notes (id, amount) VALUES ${sqlRows(rows)}
        ON CONFLICT (id) DO UPDATE SET amount = exam_notes.amount + excluded.amount`)
    await add([[1, 10]])
    await add([
      [1, 5],
      [2, 7],
    ])
    const rows = await db().query<{ id: number; amount: number }>(
      sql`SELECT id, amount FROM exam_notes ORDER BY id`,
    )
    expect(rows).toEqual([
      { id: 1, amount: 15 },
      { id: 2, amount: 7 },
    ])
  })

  test('a sum is a number', async () => {
    await db().query(sql`INSERT INTO exam_notes (id, amount) VALUES (1, 20), (2, 22)`)
    const rows = await db().query<{ sum: number }>(
      sql`SELECT CAST(SUM(amount) AS BIGINT) AS sum FROM exam_notes`,
    )
    expect(rows).toEqual([{ sum: 42 }])
  })

  test('two statements in one query are refused, and neither acts', async () => {
    const two = sql`
      INSERT INTO exam_notes (id, body) VALUES (${1}, 'a'); INSERT INTO exam_notes (id) VALUES (2)`
    expect(await failureOf(db().query(two))).toBeInstanceOf(Error)
    expect(await db().query(sql`SELECT id FROM exam_notes`)).toEqual([])
  })

  test('a failed statement leaves the database usable', async () => {
    await db().query(sql`INSERT INTO exam_notes (id) VALUES (1)`)
    expect(await failureOf(db().query(sql`INSERT INTO exam_notes (id) VALUES (1)`))).toBeInstanceOf(
      Error,
    )
    expect(await failureOf(db().query(sql`SELECT nothing FROM nowhere`))).toBeInstanceOf(Error)
    expect(await db().query<{ id: number }>(sql`SELECT id FROM exam_notes`)).toEqual([{ id: 1 }])
  })

  test(`${TAKERS} callers at once for ${SLOTS} slots: exactly ${SLOTS} get one`, async () => {
    await db().query(sql`INSERT INTO exam_notes (id, amount) VALUES (1, 0)`)
    const take = () =>
      db().query(sql`
        UPDATE exam_notes SET amount = amount + 1
        WHERE id = ${1} AND amount < ${SLOTS} RETURNING id`)
    const taken = await Promise.all(Array.from({ length: TAKERS }, take))
    expect(taken.filter((rows) => rows.length === 1)).toHaveLength(SLOTS)
    const rows = await db().query<{ amount: number }>(sql`SELECT amount FROM exam_notes`)
    expect(rows).toEqual([{ amount: SLOTS }])
  })
}

function transactionsExam(db: () => Database, bodies: () => Promise<string[]>): void {
  const insert = (to: Database, id: number, body: string) =>
    to.query(sql`INSERT INTO exam_notes (id, body) VALUES (${id}, ${body})`)

  test('a transaction returns what its work returns, and keeps its writes', async () => {
    const answer = await db().transaction(async (tx) => {
      await insert(tx, 1, 'one')
      await insert(tx, 2, 'two')
      return { answer: 42 }
    })
    expect(answer).toEqual({ answer: 42 })
    expect(await bodies()).toEqual(['one', 'two'])
  })

  test('a transaction sees its own writes', async () => {
    const seen = await db().transaction(async (tx) => {
      await insert(tx, 1, 'one')
      return tx.query<{ body: string }>(sql`SELECT body FROM exam_notes`)
    })
    expect(seen).toEqual([{ body: 'one' }])
  })

  test('work that throws leaves nothing behind, and its error reaches the caller', async () => {
    const mine = new Error('changed my mind')
    const doomed = db().transaction(async (tx) => {
      await insert(tx, 1, 'inside')
      throw mine
    })
    expect(await failureOf(doomed)).toBe(mine)
    expect(await bodies()).toEqual([])
  })

  test('a failing statement takes the whole transaction with it', async () => {
    await insert(db(), 1, 'before')
    const doomed = db().transaction(async (tx) => {
      await insert(tx, 2, 'inside')
      await insert(tx, 1, 'again')
    })
    expect(await failureOf(doomed)).toBeInstanceOf(Error)
    expect(await bodies()).toEqual(['before'])
  })

  test('catching the error of a statement does not save the transaction', async () => {
    await insert(db(), 1, 'before')
    const doomed = db().transaction(async (tx) => {
      await insert(tx, 2, 'inside')
      await insert(tx, 1, 'again').catch(() => null)
    })
    expect(await failureOf(doomed)).toBeInstanceOf(Error)
    expect(await bodies()).toEqual(['before'])
  })

  test('a transaction inside a transaction is refused', async () => {
    const nested = db().transaction((tx) => tx.transaction(async () => 1))
    expect((await failureOf(nested)).message).toContain('cannot hold another')
  })

  test('the tx of a finished transaction is refused', async () => {
    const escaped = await db().transaction(async (tx) => ({ tx }))
    expect(await failureOf(insert(escaped.tx, 1, 'late'))).toBeInstanceOf(Error)
    expect(await bodies()).toEqual([])
  })
}

function takingTurnsExam(db: () => Database, bodies: () => Promise<string[]>): void {
  test('a statement from outside is not swallowed by an open transaction', async () => {
    const outsideSent = Promise.withResolvers<void>()
    const doomed = db().transaction(async (tx) => {
      await tx.query(sql`INSERT INTO exam_notes (id, body) VALUES (${1}, ${'inside'})`)
      await outsideSent.promise
      throw new Error('rolled back')
    })
    const outside = db().query(sql`INSERT INTO exam_notes (id, body) VALUES (${2}, ${'outside'})`)
    outsideSent.resolve()
    const [inner, outer] = await Promise.allSettled([doomed, outside])
    expect([inner.status, outer.status]).toEqual(['rejected', 'fulfilled'])
    expect(await bodies()).toEqual(['outside'])
  })

  test('nobody outside sees the work of a transaction before its end', async () => {
    const transaction = db().transaction(async (tx) => {
      await tx.query(sql`INSERT INTO exam_notes (id, body) VALUES (1, 'half')`)
      await Bun.sleep(1)
      await tx.query(sql`UPDATE exam_notes SET body = 'whole' WHERE id = 1`)
    })
    const seen = await bodies()
    await transaction
    expect(seen).not.toContain('half')
    expect(await bodies()).toEqual(['whole'])
  })

  test('transactions at the same moment add up as if one came after the other', async () => {
    await db().query(sql`INSERT INTO exam_notes (id, amount) VALUES (1, ${TRANSFERS}), (2, 0)`)
    const transfer = (_: unknown, index: number) =>
      db().transaction(async (tx) => {
        await tx.query(sql`UPDATE exam_notes SET amount = amount - 1 WHERE id = 1`)
        await Bun.sleep(0)
        await tx.query(sql`UPDATE exam_notes SET amount = amount + 1 WHERE id = 2`)
        if (index % 4 === 0) throw new Error('taken back')
      })
    const ended = await Promise.allSettled(Array.from({ length: TRANSFERS }, transfer))
    const kept = ended.filter((end) => end.status === 'fulfilled').length
    expect(kept).toBe((TRANSFERS * 3) / 4)
    const rows = await db().query<{ amount: number }>(
      sql`SELECT amount FROM exam_notes ORDER BY id`,
    )
    expect(rows).toEqual([{ amount: TRANSFERS - kept }, { amount: kept }])
  })
}

function closingExam(open: () => Promise<Database>): void {
  test('closing waits for the work that came before it', async () => {
    const db = await open()
    const before = db.transaction(async (tx) => {
      await Bun.sleep(1)
      return tx.query<{ one: number }>(sql`SELECT 1 AS one`)
    })
    const queued = db.query<{ two: number }>(sql`SELECT 2 AS two`)
    await db.close()
    expect(await before).toEqual([{ one: 1 }])
    expect(await queued).toEqual([{ two: 2 }])
  })

  test('a closed database refuses, and closing it twice is harmless', async () => {
    const db = await open()
    await db.close()
    await db.close()
    expect(await failureOf(db.query(sql`SELECT 1`))).toBeInstanceOf(Error)
    expect(await failureOf(db.transaction(async () => 1))).toBeInstanceOf(Error)
  })
}
