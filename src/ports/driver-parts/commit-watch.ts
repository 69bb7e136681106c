import { Failure } from '../../core/errors.ts'
import type { Clock } from '../clock.ts'
import type { Database, Sql } from '../database.ts'

type Needs = { clock: Clock }

type Watched = {
  database: Database
  /** False from a commit that failed until one succeeds. */
  commits(): boolean
}

/**
 * A store that failed is tried by ourselves when nobody else has written for so long: who waits
 * until it is ready may not write before. While others write, theirs are the better trials, for a
 * disk that is nearly full takes small commits and no large ones.
 */
const TRY_AFTER_MS = 5000

const READS = /^\s*SELECT\b/i

/** Notes of every commit whether it came through. The trial is the smallest commit there is. */
export function watchCommits({ clock }: Needs, database: Database, trial: Sql): Watched {
  let isGood = true
  let cancelTrial: (() => void) | null = null
  let isClosed = false

  const tryLater = () => {
    cancelTrial?.()
    if (isClosed) return
    cancelTrial = clock.after(TRY_AFTER_MS, () => {
      if (!isGood) noted(() => database.query(trial)).catch(() => {})
    })
  }

  const noted = async <T>(commit: () => Promise<T>): Promise<T> => {
    try {
      const answer = await commit()
      isGood = true
      return answer
    } catch (thrown) {
      // All other errors are of who wrote, not of the store.
      if (thrown instanceof Failure && thrown.code === 'database_unavailable') {
        isGood = false
        tryLater()
      }
      throw thrown
    }
  }

  const watched: Database = {
    query: (statement) =>
      READS.test(statement.parts[0] ?? '')
        ? database.query(statement)
        : noted(() => database.query(statement)),
    each: (statement, rows) => noted(() => database.each(statement, rows)),
    transaction: (work) => noted(() => database.transaction(work)),
    perform: (procedure, args) => noted(() => database.perform(procedure, args)),
    close() {
      isClosed = true
      cancelTrial?.()
      return database.close()
    },
  }
  return { database: watched, commits: () => isGood }
}
