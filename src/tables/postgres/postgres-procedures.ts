import type { Procedure } from '../../ports/database.ts'
import { continueAboveOnPostgres } from './continue-above-on-postgres.ts'
import { dropOldDaysOnPostgres } from './drop-days.ts'
import { writeEventOnPostgres } from './write-event-on-postgres.ts'

export const POSTGRES_PROCEDURES: readonly Procedure<never, unknown>[] = [
  continueAboveOnPostgres,
  dropOldDaysOnPostgres,
  writeEventOnPostgres,
]
