import { join } from 'node:path'
import type { Database } from '../ports/database.ts'
import { ownFolder } from './own-folder.ts'
import { openSqliteFile } from './sqlite-database.ts'
import type { ThreadScript } from './sqlite-thread.ts'

/** The store of a folder that nobody else uses meanwhile. */
export async function openOwnStore(folder: string, script: ThreadScript): Promise<Database> {
  const release = ownFolder(folder)
  try {
    const database = await openSqliteFile(join(folder, 'headgate.sqlite'), script)
    return {
      ...database,
      async close() {
        await database.close()
        release()
      },
    }
  } catch (thrown) {
    release()
    throw thrown
  }
}
