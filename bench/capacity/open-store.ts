import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ConfigFaults, loadSettings } from '../../src/config/config.ts'
import { openDrivers } from '../../src/wiring/start.ts'

const SECRET = '5e'.repeat(32)

type Store = Awaited<ReturnType<typeof openDrivers>> & AsyncDisposable

/** The drivers of a process of many machines, on a new database with its tables made. */
export async function openStore(env: Record<string, string>): Promise<Store> {
  const folder = mkdtempSync(`${tmpdir()}/headgate-bench-`)
  const settings = loadSettings({ env: { HEADGATE_DATA: folder, ...env } })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const drivers = await openDrivers(settings, () => {})
  await drivers.migrate(drivers.database)
  return {
    ...drivers,
    async [Symbol.asyncDispose]() {
      await drivers.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An empty database, as the variables that lead to it. */
export async function databaseIn(serverUrl: string, name: string) {
  const client = new Bun.SQL(`${serverUrl}/postgres`, { max: 1 })
  await client.unsafe(`CREATE DATABASE ${name}`)
  await client.close()
  return { HEADGATE_DATABASE: `${serverUrl}/${name}`, HEADGATE_SECRET: SECRET }
}
