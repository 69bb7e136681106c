import type { Database } from '../../ports/database.ts'
import { bumpRevision } from '../sql/revisions.ts'

/**
 * The only way to change teams, tokens and apps: every process learns of it by the
 * revision. That is moved first, because its row stays locked until the commit, on
 * PostgreSQL too: changes of accounts come one after the other, and limits hold.
 */
export function changeAccounts<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await bumpRevision(tx, 'accounts')
    return work(tx)
  })
}

/**
 * Makes something, unless `find` finds who has its name. Both are one transaction, and changes of
 * accounts come one after the other: two callers at the same time make one.
 */
export function unlessNamed<Found, Made>(
  db: Database,
  find: (tx: Database) => Promise<readonly Found[]>,
  make: (tx: Database) => Promise<Made>,
): Promise<{ named: readonly Found[] } | { made: Made }> {
  return changeAccounts(db, async (tx) => {
    const named = await find(tx)
    return named.length > 0 ? { named } : { made: await make(tx) }
  })
}
