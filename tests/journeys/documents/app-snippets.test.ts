import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressParts, addressWith } from '../../../dashboard/pages/apps/app/addresses.ts'
import { snippetsOf } from '../../../dashboard/pages/apps/app/snippets.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Each program is started, and loads a library. */
setDefaultTimeout(180_000)

const ROOT = new URL('../../..', import.meta.url).pathname

let headgate: TestHeadgate
let folder: string

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '60000' } })
  // Within the project, so that the programs find the libraries that it has.
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  folder = mkdtempSync(join(ROOT, 'dist', 'snippets-'))
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await headgate.stop()
})

/** The snippet that the page of an app shows, for the app of the first start. */
async function snippetCalled(name: string, network: string, kind: 'evm' | 'solana') {
  const { json } = await headgate.api('GET', '/api/apps')
  const { urls, key } = json.data[0]
  const address = (inPlace: string) => addressWith(urls[network], key, inPlace)
  const found = snippetsOf({ network, kind, address }).find((one) => one.name === name)
  if (!found) throw new Error(`there is no snippet for ${name}`)
  expect(found.text).not.toContain(key)
  return found.text
}

/** Runs a program with the key in its environment; what it printed. */
async function outputOf(command: string[]): Promise<string> {
  const env = { ...process.env, HEADGATE_KEY: headgate.appKey }
  const run = Bun.spawn(command, { env, cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [text, faults] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ])
  return (await run.exited) === 0 ? text.trim() : faults
}

describe('a snippet works when it is pasted', () => {
  test.each([
    ['viem', 'ETH_DEVNET', 'evm'],
    ['ethers', 'ETH_DEVNET', 'evm'],
    ['@solana/kit', 'SOLANA_DEVNET', 'solana'],
  ] as const)('%s', async (name, network, kind) => {
    const text = await snippetCalled(name, network, kind)
    const path = join(folder, `${name.replace(/\W/g, '')}.mjs`)
    writeFileSync(path, `${text}\nprocess.exit(0)\n`)
    expect(await outputOf([process.execPath, path])).toMatch(/^\d+n?$/)
  })

  test.skipIf(!Bun.which('curl')).each([
    ['ETH_DEVNET', 'evm', /"result":"0x[0-9a-f]+"/],
    ['SOLANA_DEVNET', 'solana', /"result":\d+/],
  ] as const)('curl on %s', async (network, kind, answer) => {
    const text = await snippetCalled('curl', network, kind)
    expect(await outputOf(['sh', '-c', text.replace('curl ', 'curl -s ')])).toMatch(answer)
  })

  test('web3.py gets the same address', async () => {
    const text = await snippetCalled('web3.py', 'ETH_DEVNET', 'evm')
    expect(text).toContain(`HTTPProvider(f'${headgate.url}/eth-devnet/v2/{key}')`)
    expect(text).toContain(`key = os.environ['HEADGATE_KEY']`)
  })
})

describe('an address by host', () => {
  const known = { url: 'x/eth/v2/k', slug: 'eth', key: 'k' }

  test.each([
    ['http://localhost:8080', 'http://eth.localhost:8080/v2/'],
    ['https://gate.example/', 'https://eth.gate.example/v2/'],
  ])('stands below the name of %s', (publicUrl, expected) => {
    const parts = addressParts({ ...known, publicUrl }, 'host')
    expect('slug' in parts && parts.before + parts.slug + parts.middle).toBe(expected)
  })

  test.each(['http://127.0.0.1:8080', 'http://[::1]:8080', '', 'nonsense'])(
    'is not there for %p, which has no names below it',
    (publicUrl) => {
      expect(addressParts({ ...known, publicUrl }, 'host')).toEqual({ reason: expect.any(String) })
    },
  )

  test('is not there for a network that is not served any more', () => {
    const gone = { ...known, url: undefined, publicUrl: 'https://gate.example' }
    expect(addressParts(gone, 'host')).toEqual({ reason: 'is not configured here any more' })
  })
})
