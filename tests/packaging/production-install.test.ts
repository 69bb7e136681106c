import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { type FakeNode, startFakeNode } from '../support/nodes/fake-node.ts'
import {
  cleanUp,
  configText,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

type LockEntry = { dev?: boolean; optional?: boolean; link?: boolean; resolved?: string }

/** The sources with those packages beside them that `npm ci --omit=dev` leaves. */
describe('an installation without development dependencies', () => {
  let node: FakeNode
  let home = ''
  let main = ''

  beforeAll(() => {
    node = startFakeNode('node-a')
    home = mkdtempSync(join(tmpdir(), 'headgate-lean-'))
    main = join(home, 'src', 'main.ts')
    cpSync(join(ROOT, 'src'), join(home, 'src'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
    for (const path of productionPackages()) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      symlinkSync(join(ROOT, path), join(home, path))
    }
  })

  afterEach(cleanUp)

  afterAll(() => {
    node.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('serves the networks of a configuration file', async () => {
    const folder = newFolder()
    writeConfig(folder, configText([node]))
    const headgate = await startProcess({ folder, main, args: ['--config', 'headgate.yaml'] })
    const answer = await fetch(`${headgate.url}/eth-mainnet/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
  })

  test('says what local development lacks', async () => {
    const env = { HEADGATE_LISTEN: '127.0.0.1:0' }
    const { exitCode, stderr } = await runToEnd({ folder: newFolder(), main, env })
    expect(stderr).toStartWith('Local development needs @headgate/devnet')
    expect(exitCode).toBe(1)
  })

  test('has local development once the chains are installed as they are published', async () => {
    const published = join(home, 'node_modules/@headgate/devnet')
    const build = [process.execPath, join(ROOT, 'scripts/build-devnet.ts'), '--out', published]
    expect(Bun.spawnSync(build).exitCode).toBe(0)
    const made = JSON.parse(readFileSync(join(published, 'package.json'), 'utf8'))
    expect(made).toMatchObject({ name: '@headgate/devnet', version: packageJson.version })
    for (const name of Object.keys(made.dependencies)) {
      const place = join(home, 'node_modules', name)
      mkdirSync(dirname(place), { recursive: true })
      if (!existsSync(place)) symlinkSync(join(ROOT, 'node_modules', name), place)
    }

    const env = { HEADGATE_LISTEN: '127.0.0.1:0' }
    const headgate = await startProcess({ folder: newFolder(), main, env })
    const control = async (call: string, body: object) => {
      const headers = { 'x-service-token': headgate.keys.team_token }
      const options = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`${headgate.url}/api/devnet/${call}`, options)).status
    }
    expect(await control('mine', { blocks: 2 })).toBe(200)
    // A refusal by the code of the package is one of Headgate's own.
    expect(await control('reorganise', { depth: 30 })).toBe(400)
  })
})

function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const entries = Object.entries<LockEntry>(lock.packages)
  // A link says nothing of itself; the package that it leads to does.
  const isKept = ({ dev, optional }: LockEntry) => !dev && !optional
  const kept = entries.filter(([path, entry]) => {
    return path !== '' && isKept(entry) && isKept(lock.packages[entry.resolved ?? path] ?? {})
  })
  return kept.map(([path]) => path)
}
