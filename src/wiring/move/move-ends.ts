import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { Failure } from '../../core/errors.ts'
import { openOwnStore } from '../../embedded/database/own-store.ts'
import type { Database } from '../../ports/database.ts'
import { migrate } from '../../tables/migrate.ts'
import { openClusterStore } from '../cluster/cluster-store.ts'
import type { Drivers } from '../drivers.ts'
import { STORE_THREAD } from '../embedded-drivers.ts'
import { keepSecret } from '../first-run.ts'

/** The secrets are those of the secret that is configured. */
export type MoveNeeds = Pick<Drivers, 'clock' | 'entropy' | 'telemetry' | 'secrets'>

/** A store at one end of a move, brought to the form that this version works with. */
export type MoveEnd = { database: Database; close(): Promise<void> }

/** The store of a folder that is there, and that no Headgate runs on. */
export async function openSourceFolder(needs: MoveNeeds, folder: string): Promise<MoveEnd> {
  const file = join(folder, 'headgate.sqlite')
  // Before anything is made: a name that was mistyped leaves no folder behind.
  if (!existsSync(file)) throw new Failure('move_failed', { reason: `there is no ${file}` })
  return openFolder(needs, folder, () => {})
}

/** The store of a folder, made if need be, with the secret beside it. */
export function openTargetFolder(
  needs: MoveNeeds,
  folder: string,
  secret: string,
): Promise<MoveEnd> {
  return openFolder(needs, folder, () => keepSecret(folder, secret))
}

/** The secret that a folder keeps; null when it was configured instead. */
export function secretFileOf(folder: string): { file: string; holds: string } | null {
  const file = join(folder, 'instance-secret')
  return existsSync(file) ? { file, holds: readFileSync(file, 'utf8').trim() } : null
}

/** The store on a PostgreSQL server that is there now. */
export async function openServer(
  needs: MoveNeeds,
  url: string,
  { connectionsMax, transactionPooler }: Settings['postgres'],
): Promise<MoveEnd> {
  const { secrets } = needs
  const options = { url, connectionsMax, transactionPooler, secrets, waitMs: 0 }
  const store = await openClusterStore(needs, options)
  return migrated(store, store.migrate)
}

async function openFolder(needs: MoveNeeds, folder: string, prepare: () => void): Promise<MoveEnd> {
  const store = await openOwnStore(needs, {
    folder,
    script: STORE_THREAD,
    freeBytesMin: undefined,
    prepare,
  })
  const { database } = store
  return migrated({ database, close: () => database.close() }, migrate)
}

async function migrated(
  { database, close }: MoveEnd,
  bring: (database: Database) => Promise<void>,
): Promise<MoveEnd> {
  try {
    await bring(database)
    return { database, close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}
