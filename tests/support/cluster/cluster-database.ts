import { openPostgresDatabase } from '../../../src/cluster/postgres/postgres-database.ts'
import { type Database, type Sql, sql } from '../../../src/ports/database.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { until } from '../basics/until.ts'

/** The database of a cluster, as its operator sees it. */
export type ClusterDatabase = Database & {
  /** The name of the process that follows a network; null when the lease has lapsed. */
  followerOf(network: string): Promise<string | null>
  /** Locks the rows that a statement selects until the function is called. */
  lock(statement: Sql): Promise<() => Promise<void>>
  /** Waits until a process waits for a row that is locked. */
  untilSomebodyWaits(): Promise<void>
  /** How many shards each live courier has. */
  shardCounts(): Promise<Map<string, number>>
  /** The courier that has the shard of the first webhook. */
  ownerOfFirst(): Promise<string | null>
}

export function openClusterDatabase(url: string): ClusterDatabase {
  const needs = { clock: systemClock() }
  const database = openPostgresDatabase(needs, {
    url,
    connectionsMax: 3,
    isPooled: false,
    procedures: [],
  })
  return {
    ...database,
    async followerOf(network) {
      const [lease] = await database.query<{ holder: string }>(sql`
        SELECT holder FROM leases
        WHERE name = ${`follower:${network}`} AND until_ms > ${Date.now()}`)
      return lease?.holder ?? null
    },
    async lock(statement) {
      const locked = Promise.withResolvers<void>()
      const over = Promise.withResolvers<void>()
      const ended = database.transaction(async (tx) => {
        await tx.query(statement)
        locked.resolve()
        await over.promise
      })
      await locked.promise
      return () => {
        over.resolve()
        return ended
      }
    },
    untilSomebodyWaits: () =>
      until(async () => {
        const waiting = await database.query(sql`
          SELECT pid FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`)
        return waiting.length > 0
      }, 'somebody waits for a row'),
    async shardCounts() {
      const rows = await database.query<{ courier: string; shards: number }>(sql`
        SELECT courier, CAST(COUNT(*) AS BIGINT) AS shards FROM shards
        WHERE courier IS NOT NULL GROUP BY courier`)
      return new Map(rows.map(({ courier, shards }) => [courier, shards]))
    },
    async ownerOfFirst() {
      const [row] = await database.query<{ courier: string | null }>(sql`
        SELECT courier FROM shards WHERE shard = (SELECT MIN(number) % 256 FROM webhooks)`)
      return row?.courier ?? null
    },
  }
}
