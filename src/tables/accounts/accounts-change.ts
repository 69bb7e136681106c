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
