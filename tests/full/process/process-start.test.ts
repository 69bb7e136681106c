import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { stopProcess } from '../../support/product/configured-process.ts'
import {
  cleanUp,
  configText,
  environment,
  keysIn,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const LOCAL = { HEADGATE_LISTEN: '127.0.0.1:0', HEADGATE_DEVNET_BLOCK_TIME_MS: '200' }

const FRESH = { args: ['start', '--fresh'], env: LOCAL }

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

afterEach(cleanUp)

// The files of a data folder hold the store where there is no PostgreSQL.
describe.skipIf(WORLD === 'postgres')('local development', () => {
  test('goes on where it ended, and starts anew only where it is asked to', async () => {
    const folder = newFolder()
    const pidFile = join(folder, 'data', 'headgate.pid')
    mkdirSync(join(folder, 'data'))
    // A stray process id is no reason to think that somebody is there.
    writeFileSync(pidFile, '1\n')
    const first = await startProcess({ folder, env: LOCAL })
    expect(first.said()).not.toContain('goes on')

    const beside = await runToEnd({ folder, ...FRESH })
    expect(beside).toMatchObject({ exitCode: 1, stdout: '' })
    expect(beside.stderr).toBe(
      `Another Headgate uses the folder ./data (process ${first.pid}, at ${first.url}). ` +
        `Stop it with kill ${first.pid}, or give this one a folder of its own with data or ` +
        'HEADGATE_DATA.\n',
    )
    await stopProcess(first)
    expect(existsSync(pidFile)).toBe(false)

    const second = await startProcess({ folder, env: LOCAL })
    expect(second.said()).toContain('It goes on where it ended')
    expect(second.said()).toMatch(/ETH_DEVNET is at block \d+, SOLANA_DEVNET is at slot \d+/)
    expect(second.keys.app_key).toBe(first.keys.app_key)
    await stopProcess(second)

    const third = await startProcess({ folder, ...FRESH })
    expect(third.said()).not.toContain('goes on')
    expect(third.keys.app_key).not.toBe(first.keys.app_key)
    const inside = readdirSync(join(folder, 'data'))
    // A pipe gets the log and the welcome, and no line that is taken back.
    expect(third.said()).not.toContain('\r')
    expect(third.said()).not.toContain('\u001b')
    await stopProcess(third)

    writeFileSync(join(folder, 'data', 'notes.txt'), 'not ours')
    const refused = await runToEnd({ folder, ...FRESH })
    expect(refused).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        '--fresh does not empty ./data: it has notes.txt, which is not Headgate’s. ' +
        'Nothing was removed.\n',
    })
    expect(inside).toContain('headgate.pid')
    expect(keysIn(folder)?.app_key).toBe(third.keys.app_key)
  })

  test('starts anew nowhere else', async () => {
    const node = startFakeNode('node-a')
    const folder = newFolder()
    writeConfig(folder, configText([node]))
    const args = ['--config', 'headgate.yaml']
    const configured = await startProcess({ folder, args })
    await stopProcess(configured)
    node.stop()

    const without = await runToEnd({ folder, ...FRESH })
    expect(without).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        '--fresh does not empty ./data: local development has not made it, or a configured ' +
        'Headgate has used it since. Nothing was removed.\n',
    })
    const withFile = await runToEnd({ folder, args: ['--fresh', ...args] })
    expect(withFile).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: '--fresh is for local development, and this start is configured.\n',
    })
    expect(keysIn(folder)).toEqual(configured.keys)
  })
})

describe.skipIf(WORLD === 'postgres')('a data folder that cannot be used', () => {
  test('because a newer version wrote it', async () => {
    const { exitCode, stderr } = await startOn((data) => {
      const store = new Database(join(data, 'headgate.sqlite'), { create: true })
      store.run('CREATE TABLE migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)')
      store.run("INSERT INTO migrations VALUES (999999, 'from the future')")
      store.close()
    })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^The store was written by a newer version of Headgate: its tables have version 999999, and this program knows those up to \d+\. Start the newer version, or put back the backup from before it\.\n$/,
    )
  })

  test('because its store is damaged', async () => {
    const { exitCode, stderr } = await startOn((data) => {
      const bytes = new Uint8Array(8192).fill(7)
      bytes.set(new TextEncoder().encode('SQLite format 3\0'))
      writeFileSync(join(data, 'headgate.sqlite'), bytes)
    })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^The store data\/headgate\.sqlite cannot be used \(SQLITE_\w+\): it is/)
    expect(stderr).toEndWith(
      'start anew with --fresh, or choose another folder with data or HEADGATE_DATA.\n',
    )
  })

  test('because its lock is none', async () => {
    const { exitCode, stderr } = await startOn((data) =>
      writeFileSync(join(data, 'headgate.lock'), 'a diary, not a lock'.repeat(100)),
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: unusable('SQLITE_NOTADB') })
  })

  const isRoot = process.getuid?.() === 0
  const asUser = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  test.skipIf(!canRun([...asUser, process.execPath, '--version']))(
    'because this user may not write to it (skipped where root cannot become another)',
    async () => {
      const { exitCode, stderr } = await startOn(
        (data) => {
          chmodSync(join(data, '..'), 0o755)
          chmodSync(data, 0o555)
        },
        [...asUser, process.execPath, MAIN],
      )
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: unusable('SQLITE_CANTOPEN') })
    },
  )

  const withOwnMounts = ['unshare', '--map-root-user', '--mount', 'sh', '-c']
  test.skipIf(!canRun([...withOwnMounts, 'mount -t tmpfs headgate /tmp']))(
    'because its disk is full (skipped where none can be mounted)',
    async () => {
      const mount = 'mount -t tmpfs -o size=128k headgate data && exec "$@"'
      const command = [...withOwnMounts, mount, 'sh', process.execPath, MAIN]
      const { exitCode, stderr } = await startOn(() => {}, command)
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr:
          'There is no room on the disk of the data folder ./data. Make some, or choose another ' +
          'folder with data or HEADGATE_DATA.\n',
      })
    },
  )
})

/** Runs a command in a network of its own, with nothing in it but the machine itself. */
const ALONE = [
  'unshare',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
]

test.skipIf(!canRun([...ALONE, 'true']))(
  'local development asks for nothing outside of the machine (skipped where it cannot be alone)',
  async () => {
    const child = Bun.spawn([...ALONE, process.execPath, MAIN], {
      cwd: newFolder(),
      env: { ...environment(), ...LOCAL },
    })
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('"event":"block"')) break
    }
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(said).toContain('Headgate is up at')
    expect(said).not.toMatch(/"level":"(?:warn|error)"/)
  },
)

function unusable(code: string): string {
  return (
    `The data folder ./data cannot be used (${code}): it must be a folder that this user can ` +
    'write to. Choose another with data or HEADGATE_DATA.\n'
  )
}

/** Starts local development in a folder that was prepared, and waits for its end. */
function startOn(prepare: (data: string) => void, command?: readonly string[]) {
  const folder = newFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  prepare(data)
  // With a secret given, nothing but the folder is wrong.
  const env = { ...LOCAL, HEADGATE_SECRET: 'ab'.repeat(32) }
  return runToEnd({ folder, env, ...(command && { command }) })
}

function canRun(command: readonly string[]): boolean {
  return Bun.which(command[0] ?? '') !== null && Bun.spawnSync([...command]).exitCode === 0
}
