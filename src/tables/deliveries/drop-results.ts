import { type Database, sql } from '../../ports/database.ts'
import { rowChunks } from '../sql/statement-chunks.ts'
import { typedRows } from '../sql/typed-rows.ts'

export type ResultKey = { network: string; sequenceNumber: number; part: number }

/**
 * Removes those of the results that no delivery refers to; what became free. Who may refer to
 * them from a sheet is not looked at: as long as the event has one, they stay.
 */
export async function dropResults(
  tx: Database,
  keys: readonly ResultKey[],
): Promise<{ network: string; bytes: number }[]> {
  const dropped: { network: string; bytes: number }[] = []
  const rows = keys.map(({ network, sequenceNumber, part }) => [network, sequenceNumber, part])
  for (const chunk of rowChunks(rows)) {
    const some = await tx.query<{ network: string; bytes: number }>(sql`
      WITH doubtful (network, sequence_number, part) AS (
        VALUES ${typedRows(['TEXT', 'BIGINT', 'BIGINT'], chunk)})
      DELETE FROM results
      WHERE (network, sequence_number, part) IN (
          SELECT network, sequence_number, part FROM doubtful)
        AND NOT EXISTS (
          SELECT 1 FROM deliveries WHERE deliveries.network = results.network
            AND deliveries.sequence_number = results.sequence_number
            AND deliveries.part = results.part)
        AND NOT EXISTS (
          SELECT 1 FROM sheets WHERE sheets.network = results.network
            AND sheets.sequence_number = results.sequence_number)
      RETURNING network, bytes`)
    dropped.push(...some)
  }
  return dropped
}
