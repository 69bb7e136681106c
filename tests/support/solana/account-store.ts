import { Rejection } from '../../../src/core/errors.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { openSecrets } from '../../../src/system/machine/secrets.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { type AppChange, updateApp } from '../../../src/tables/accounts/apps.ts'
import { createApp, createTeam, rotateAppKey } from '../../../src/tables/accounts/new-accounts.ts'
import { freshStore } from '../../fresh-store.ts'
import { testWorld } from '../basics/test-world.ts'
import { type FaultyDatabase, faultyDatabase } from '../store/faulty-database.ts'

/** A store with one team on the free tier and its app. */
export type AccountStore = {
  database: FaultyDatabase
  teamId: string
  appId: string
  key: string
  /** Another app of the team. */
  addApp(): Promise<{ id: string; key: string }>
  changeApp(change: AppChange): Promise<void>
  /** Returns the new key. */
  rotateKey(): Promise<string>
}

export async function accountStore(clock: Clock): Promise<AccountStore> {
  const entropy = systemEntropy()
  const secrets = openSecrets(entropy.bytes(32), entropy)
  const world = testWorld({ clock, entropy, secrets })
  const database = faultyDatabase(await freshStore())
  const { team } = await createTeam(database, world, { name: 'A', tier: 'free' })
  const addApp = async () => {
    const wanted = { name: 'An app', description: '', networks: ['ETH_MAINNET'] }
    const made = await createApp(database, world, team.id, wanted)
    if (made instanceof Rejection) throw new Error(made.message)
    return { id: made.app.id, key: made.key }
  }
  const { id: appId, key } = await addApp()
  return {
    database,
    teamId: team.id,
    appId,
    key,
    addApp,
    async changeApp(change) {
      await updateApp(database, team.id, appId, change)
    },
    rotateKey: async () => (await rotateAppKey(database, world, team.id, appId)) ?? '',
  }
}
