import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../ports/clock.ts'
import type { Database, Sql, StoreHealth } from '../../ports/database.ts'
import { watchCommits } from '../../ports/driver-parts/commit-watch.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { watchDisk } from './disk-watch.ts'
import { ownFolder } from './own-folder.ts'
import { openSqliteFile } from './sqlite-database.ts'
import type { ThreadScript } from './sqlite-thread.ts'

type Needs = { clock: Clock; telemetry: Telemetry }

type Options<Prepared> = {
  folder: string
  script: ThreadScript
  freeBytesMin: number | undefined
  /** Does what must be done before a store is made; is told whether one is there already. */
  prepare(hasStore: boolean): Prepared
}

type Opened<Prepared> = { database: Database; storeHealth: StoreHealth; prepared: Prepared }

/** Writes the header of the file as it was. */
const WRITE_HEADER: Sql = { parts: ['PRAGMA user_version = 0'], values: [] }

/** The store of a folder that nobody else uses meanwhile. */
export async function openOwnStore<Prepared>(
  needs: Needs,
  { folder, script, freeBytesMin, prepare }: Options<Prepared>,
): Promise<Opened<Prepared>> {
  await using opened = new AsyncDisposableStack()
  opened.defer(ownFolder(folder))
  const path = join(folder, 'headgate.sqlite')
  const prepared = prepare(existsSync(path))
  const { database, commits } = watchCommits(
    needs,
    await openSqliteFile(path, script),
    WRITE_HEADER,
  )
  opened.defer(() => database.close())
  const disk = watchDisk(needs, folder, freeBytesMin)
  opened.defer(disk.stop)
  const storeHealth = { commits, room: disk.room }
  const kept = opened.move()
  return { database: { ...database, close: () => kept.disposeAsync() }, storeHealth, prepared }
}
