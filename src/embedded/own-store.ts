import { join } from 'node:path'
import type { Database } from '../ports/database.ts'
import { ownFolder } from './own-folder.ts'
import { openSqliteFile } from './sqlite-database.ts'

/** The store of a folder that nobody else uses meanwhile. */
export async function openOwnStore(folder: string, works: string): Promise<Database> {
  const release = ownFolder(folder)
  try {
    const database = await openSqliteFile(join(folder, 'headgate.sqlite'), works)
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
