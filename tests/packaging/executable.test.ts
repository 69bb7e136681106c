import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { EXECUTABLE_TARGETS } from '../../scripts/executable-targets.ts'
import { stopProcess } from '../support/product/configured-process.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../support/product/headgate-process.ts'

/** The executable is built in a second or two, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TARGET = `bun-${process.platform}-${process.arch}`
const NAME = `headgate-${packageJson.version}-${TARGET}`

/** Nothing of a shell's environment, least of all a runtime or packages to be found. */
const BARE = {
  HEADGATE_LISTEN: '127.0.0.1:0',
  BUN_CONFIG_MAX_HTTP_REQUESTS: '',
  HOME: '',
  NODE_PATH: '',
  PATH: '',
}

/** A program of Solana whose accounts are indexed, which takes a thread of its own. */
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

let out = ''
let command: string[] = []

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'headgate-executable-'))
  command = [join(out, NAME)]
  const built = build(['--out', out])
  expect({ ...built, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

afterEach(cleanUp)

afterAll(() => rmSync(out, { recursive: true, force: true }))

test('the build leaves the executable and its checksum, and nothing else', () => {
  expect(readdirSync(out).sort()).toEqual(['SHA256SUMS', NAME])
  const sum = new Bun.CryptoHasher('sha256').update(readFileSync(join(out, NAME))).digest('hex')
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(`${sum}  ${NAME}\n`)
})

test('a platform that is not built for is named, with those that are', () => {
  const { exitCode, stderr } = build(['--out', out, 'bun-windows-x64'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('bun-darwin-arm64 and all, not bun-windows-x64')
})

test.each(Object.entries(EXECUTABLE_TARGETS))(
  'the lock file has the runtime and the chains for %s',
  (_target, { os, cpu, runtime }) => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
    const libc = os === 'linux' ? '-gnu' : ''
    const chains = ['@nomicfoundation/edr', 'litesvm'].map((name) => `${name}-${os}-${cpu}${libc}`)
    for (const name of [runtime, ...chains]) {
      const entry = packages[`node_modules/${name}`]
      expect(entry, name).toMatchObject({ os: [os], cpu: [cpu], integrity: expect.any(String) })
    }
  },
)

test('in an empty folder it serves both chains and delivers a webhook, then stops', async () => {
  const env = { ...BARE, HEADGATE_PROGRAM_ACCOUNTS_INDEX: TOKEN_PROGRAM }
  const headgate = await startProcess({ folder: newFolder(), command, env })
  expect(await call(headgate, 'eth-devnet', 'eth_chainId')).toMatchObject({ result: '0x7a69' })
  const rent = await call(headgate, 'solana-devnet', 'getMinimumBalanceForRentExemption', [0])
  expect(rent).toMatchObject({ result: 890_880 })
  expect(readdirSync(join(headgate.folder, 'data'))).toContain('accounts-solana-devnet.sqlite')

  const page = await (await fetch(headgate.url)).text()
  const [script = 'no script'] = /\/assets\/main-[^"]+/.exec(page) ?? []
  expect((await fetch(headgate.url + script)).status).toBe(200)

  const example = Bun.spawn([process.execPath, join(ROOT, 'examples/first-webhook.ts')], {
    env: { ...process.env, FIRST_RUN: join(headgate.folder, 'data', 'first-run.json') },
    stdout: 'pipe',
  })
  expect(await new Response(example.stdout).text()).toContain('it is final')

  await stopProcess(headgate)
  expect(await headgate.exited).toBe(0)
  expect(readdirSync(headgate.folder)).toEqual(['data'])
})

test.skipIf(process.platform !== 'linux')(
  'it has room for many requests to upstreams, in the very process that was started',
  async () => {
    const headgate = await startProcess({ folder: newFolder(), command, env: BARE })
    const environment = readFileSync(`/proc/${headgate.pid}/environ`, 'utf8').split('\0')
    const found = environment.filter((line) => line.startsWith('BUN_CONFIG_'))
    expect(found).toEqual(['BUN_CONFIG_MAX_HTTP_REQUESTS=16384'])
  },
)

test.skipIf(process.platform !== 'linux')('it serves from gateway workers', async () => {
  const env = { ...BARE, HEADGATE_GATEWAY_WORKERS: '2' }
  const headgate = await startProcess({ folder: newFolder(), command, env })
  expect(await call(headgate, 'eth-devnet', 'eth_chainId')).toMatchObject({ result: '0x7a69' })
  const metrics = await (await fetch(`${headgate.url}/metrics`)).text()
  expect(metrics).toContain('headgate_gateway_workers 2')
  await stopProcess(headgate)
  expect(await headgate.exited).toBe(0)
})

test('it takes the words of the command line, and a wrong file ends it with 2', async () => {
  const folder = newFolder()
  const help = await runToEnd({ folder, command, env: BARE, args: ['--help'] })
  expect(help).toMatchObject({ exitCode: 0, stderr: '' })
  expect(help.stdout).toContain('headgate [options]')

  writeConfig(folder, 'listen: nowhere\n')
  const args = ['check', '--config', 'headgate.yaml']
  const { exitCode, stderr } = await runToEnd({ folder, command, args, env: BARE })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('headgate.yaml:1: ')
})

function build(words: readonly string[]) {
  const script = ['npm', 'run', '--silent', 'build:executable', '--', ...words]
  const { exitCode, stdout, stderr } = Bun.spawnSync(script, { cwd: ROOT })
  return { exitCode, stdout: `${stdout}`, stderr: `${stderr}` }
}

async function call(
  { url, keys }: HeadgateProcess,
  slug: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const answer = await fetch(`${url}/${slug}/v2/${keys.app_key}`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return answer.json()
}
