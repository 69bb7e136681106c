import { Failure } from '../../../src/core/errors.ts'
import type { Database } from '../../../src/ports/database.ts'

/** A store that can be taken away, and that can keep a commit's answer to itself. */
export type FaultyDatabase = Database & {
  down: boolean
  /** Transactions commit and then fail, as when the connection breaks in the wrong moment. */
  losesAnswers: boolean
  /** Statements and transactions that were asked for, while it was down too. */
  asked: number
  /** Answers to what is asked while this is set wait for it. */
  hold: Promise<void> | null
}

export function faultyDatabase(inner: Database): FaultyDatabase {
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    database.asked++
    const { hold } = database
    if (database.down) throw new Failure('database_unavailable')
    const answer = await work()
    await hold
    return answer
  }
  const database: FaultyDatabase = {
    down: false,
    losesAnswers: false,
    asked: 0,
    hold: null,
    query: (statement) => ask(() => inner.query(statement)),
    each: (statement, rows) => ask(() => inner.each(statement, rows)),
    transaction: (work) =>
      ask(async () => {
        const result = await inner.transaction(work)
        if (database.losesAnswers) throw new Failure('database_unavailable')
        return result
      }),
    perform: (procedure, args) =>
      ask(async () => {
        const result = await inner.perform(procedure, args)
        if (database.losesAnswers) throw new Failure('database_unavailable')
        return result
      }),
    close: () => inner.close(),
  }
  return database
}
