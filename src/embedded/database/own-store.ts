import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Sql, StoreHealth } from '../../ports/database.ts'
import { watchCommits } from '../../ports/driver-parts/commit-watch.ts'
import type { System } from '../../ports/world.ts'
import { watchDisk } from './disk-watch.ts'
import { emptyFolder, ownFolder } from './own-folder.ts'
import { openSqliteFile } from './sqlite-database.ts'

type Options<Prepared> = {
  folder: string
  /** The address of a script that calls `serveStore` with the procedures of the thread. */
  script: string
  freeBytesMin: number | undefined
  /** The store is one of local development, which may be forgotten. */
  isLocal?: boolean
  /** Does what must be done before a store is made; is told whether one is there already. */
  prepare(hasStore: boolean): Prepared
}

type Opened<Prepared> = { database: Database; storeHealth: StoreHealth; prepared: Prepared }

/** Writes the header of the file as it was. */
const WRITE_HEADER: Sql = { parts: ['PRAGMA user_version = 0'], values: [] }

/** The file of a folder that local development made, and nobody else has started on since. */
const LOCAL_MARK = 'local-development'
const LOCAL_MARK_TEXT =
  'Local development made this folder: `headgate start --fresh` may empty it.\n'

const NOT_LOCAL = 'local development has not made it, or a configured Headgate has used it since'

export async function openOwnStore<Prepared>(
  system: System,
  { folder, script, freeBytesMin, isLocal = false, prepare }: Options<Prepared>,
): Promise<Opened<Prepared>> {
  await using opened = new AsyncDisposableStack()
  opened.defer(ownFolder(folder))
  const path = join(folder, 'headgate.sqlite')
  const hasStore = existsSync(path)
  keepLocalMark(folder, isLocal, hasStore)
  const prepared = prepare(hasStore)
  const { database, commits } = watchCommits(
    system,
    await openSqliteFile(path, script),
    WRITE_HEADER,
  )
  opened.defer(() => database.close())
  const disk = watchDisk(system, folder, freeBytesMin)
  opened.defer(disk.stop)
  const storeHealth = { commits, room: disk.room }
  const kept = opened.move()
  return { database: { ...database, close: () => kept.disposeAsync() }, storeHealth, prepared }
}

/**
 * Removes what local development left in a folder; a sentence where that may be something else.
 * It stays as it is while another Headgate runs on it.
 */
export function startAnew(folder: string): string | null {
  const found = existsSync(folder) ? readdirSync(folder) : []
  if (found.length === 0) return null
  if (!found.includes(LOCAL_MARK)) return NOT_LOCAL
  const release = ownFolder(folder)
  try {
    return emptyFolder(folder)
  } finally {
    release()
  }
}

function keepLocalMark(folder: string, isLocal: boolean, hasStore: boolean): void {
  const file = join(folder, LOCAL_MARK)
  if (!isLocal) rmSync(file, { force: true })
  else if (!hasStore) writeFileSync(file, LOCAL_MARK_TEXT)
}
