import type { Procedure } from '../ports/database.ts'
import { commitEvent } from './chain/chain-events.ts'
import { continueAbove } from './chain/known-numbers.ts'
import { dropOldDays, pruneOldest } from './deliveries/retention.ts'
import { settleBatch } from './deliveries/settle-batch.ts'
import { applyMigration } from './migrate.ts'
import { writeUsage } from './usage/usage.ts'

/** The transactions of the hot paths, and long ones, which a store runs where its data is. */
export const PROCEDURES: readonly Procedure<never, unknown>[] = [
  applyMigration,
  commitEvent,
  continueAbove,
  dropOldDays,
  pruneOldest,
  settleBatch,
  writeUsage,
]
