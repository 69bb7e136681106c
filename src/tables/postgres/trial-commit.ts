import { sql } from '../../ports/database.ts'

/** Takes the number of a transaction, and so writes a commit; a standby refuses it. */
export const TRIAL_COMMIT = sql`SELECT CAST(pg_current_xact_id() AS TEXT) AS number`
