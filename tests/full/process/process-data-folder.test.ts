// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/product/headgate.ts'
import {
  cleanUp,
  newFolder,
  runToEnd,
  startProcess,
} from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

const LOCAL = {
  HEADGATE_LISTEN: '127.0.0.1:0',
  HEADGATE_DEVNET_BLOCK_TIME_MS: '200',
  HEADGATE_PROGRAM_ACCOUNTS_INDEX: TOKEN_PROGRAM,
}

const FILES = {
  embedded: [
    'accounts-solana-devnet.sqlite',
    'first-run.json',
    'headgate.lock',
    'headgate.sqlite',
    'headgate.sqlite-wal',
    'instance-secret',
  ],
  postgres: [
    'first-run.json',
    'scratch-0/accounts-solana-devnet.sqlite',
    'scratch-0/headgate.lock',
    'scratch-0/process-name',
  ],
}[WORLD]

afterEach(cleanUp)

test('a folder that others could read is the owner’s alone, with all that is in it', async () => {
  const folder = newFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o755)
  const first = await startProcess({ folder, env: LOCAL })
  await until(() => FILES.every((name) => existsSync(join(data, name))), 'all files are made')
  expect(openToOthers(data)).toEqual([])
  first.signal('SIGKILL')
  await first.exited

  // As an older version left them, the log of a crash included.
  mkdirSync(join(data, 'spill'), { recursive: true })
  for (const path of [data, ...paths(data)])
    chmodSync(path, statSync(path).isFile() ? 0o644 : 0o755)
  await startProcess({ folder, env: LOCAL })
  expect(openToOthers(data)).toEqual([])
})

test('other files in the folder, and the folder then, stay as they are', async () => {
  const folder = newFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o755)
  writeFileSync(join(data, 'notes.txt'), 'not ours')
  chmodSync(join(data, 'notes.txt'), 0o644)
  await startProcess({ folder, env: LOCAL })
  expect(openToOthers(data)).toEqual([data, join(data, 'notes.txt')])
})

// On PostgreSQL the secret is always configured: process-database has a wrong one.
test.skipIf(WORLD === 'postgres')(
  'a store whose secret is gone is not started with a new one',
  async () => {
    const folder = newFolder()
    const first = await startProcess({ folder, env: LOCAL })
    first.signal('SIGTERM')
    await first.exited
    const file = join(folder, 'data', 'instance-secret')
    const secret = await Bun.file(file).text()
    rmSync(file)

    const { exitCode, stderr } = await runToEnd({ folder, env: LOCAL })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('instance-secret')
    expect(stderr).toContain('HEADGATE_SECRET')
    expect(await Bun.file(file).exists()).toBe(false)

    // Where it is configured, the file is not missed.
    await startProcess({ folder, env: { ...LOCAL, HEADGATE_SECRET: secret.trim() } })
    expect(await Bun.file(file).exists()).toBe(false)
  },
)

function paths(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
}

/** Paths that somebody else could read, write or look into. */
function openToOthers(folder: string): string[] {
  // A file that is gone meanwhile is open to nobody.
  const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return [folder, ...paths(folder)].filter((path) => (modeOf(path) & 0o077) !== 0)
}
