import type { Procedure } from '../ports/database.ts'

/** The transactions of the hot paths, which a store runs where its data is. */
export const PROCEDURES: readonly Procedure<never, unknown>[] = []
