import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../ports/database.ts'
import { ownFolder } from './own-folder.ts'
import { openSqliteFile } from './sqlite-database.ts'
import type { ThreadScript } from './sqlite-thread.ts'

type Opened<Prepared> = { database: Database; prepared: Prepared }

/**
 * The store of a folder that nobody else uses meanwhile. What must be there before a store is
 * made is done by `prepare`, which is told whether one is there already.
 */
export async function openOwnStore<Prepared>(
  folder: string,
  script: ThreadScript,
  prepare: (hasStore: boolean) => Prepared,
): Promise<Opened<Prepared>> {
  const release = ownFolder(folder)
  const path = join(folder, 'headgate.sqlite')
  try {
    const prepared = prepare(existsSync(path))
    const store = await openSqliteFile(path, script)
    const database = {
      ...store,
      async close() {
        await store.close()
        release()
      },
    }
    return { database, prepared }
  } catch (thrown) {
    release()
    throw thrown
  }
}
