import type { Database } from '../ports/database.ts'
import { commitEvent } from './chain-events.ts'
import { settleOutcomes } from './delivery-outcomes.ts'

/** What a store performs where its data is, by name: the transactions of the hot paths. */
export const WORKS: Record<string, (db: Database, args: never) => Promise<unknown>> = {
  commitEvent,
  settleOutcomes,
}
