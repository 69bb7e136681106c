import type { Transaction } from '../../ports/database.ts'
import { addFigures, type FigureRow } from './call-stats.ts'
import { addSpends, type SpendRow } from './upstream-spend.ts'

/** Counts that are written beside the usage, and are no part of the bill. */
export type BatchCounts = {
  /** How calls went. */
  figures?: readonly FigureRow[]
  /** The spending at upstreams. */
  spends?: readonly SpendRow[]
}

/**
 * Adds the counts of batches at the end of the transaction that makes sure that it happens once:
 * many processes write the same rows of these.
 */
export function addCounts(tx: Transaction, batches: readonly BatchCounts[]): void {
  const figures = batches.flatMap((batch) => batch.figures ?? [])
  const spends = batches.flatMap((batch) => batch.spends ?? [])
  if (figures.length > 0) tx.last(() => addFigures(tx, figures))
  if (spends.length > 0) tx.last(() => addSpends(tx, spends))
}
