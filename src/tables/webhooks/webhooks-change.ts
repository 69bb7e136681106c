import type { Database, Transaction } from '../../ports/database.ts'
import { bumpRevision } from '../sql/revisions.ts'

/**
 * The only way to change webhooks and variables: every changed row is stamped with the
 * revision that `work` is given, and a process asks for what came after the last one it
 * knows. It is moved first, as for accounts: changes come one after the other, so no
 * revision shows up after a higher one, and what was read in `tx` stays true in it.
 */
export function changeWebhooks<T>(
  db: Database,
  work: (tx: Transaction, revision: number) => Promise<T>,
): Promise<T> {
  return db.transaction((tx) => changeWebhooksIn(tx, work))
}

export async function changeWebhooksIn<Tx extends Database, T>(
  tx: Tx,
  work: (tx: Tx, revision: number) => Promise<T>,
): Promise<T> {
  return work(tx, await bumpRevision(tx, 'webhooks'))
}
