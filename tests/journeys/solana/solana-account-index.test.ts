import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOKEN_2022_MINT } from '../../../packages/devnet/src/solana/solana-genesis.ts'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import { PROGRAM_IDS } from '../../../src/core/solana/programs.ts'
import { sized } from '../../support/basics/sized.ts'
import {
  type Answer,
  rpc,
  startHeadgate,
  type TestHeadgate,
  until,
} from '../../support/product/headgate.ts'
import { WORLD } from '../../support/product/world.ts'
import { keyOf } from '../../support/solana/account-bytes.ts'
import { churnAccounts } from '../../support/solana/solana-churn.ts'
import { solanaRpc } from '../../support/solana/solana-rpc.ts'

setDefaultTimeout(180_000)

const PROGRAM = PROGRAM_IDS.splToken
const SLUG = 'solana-devnet'
const CONFIRMED = { commitment: 'confirmed' }

/** `npm run test:full` has tens of megabytes of them. */
const ACCOUNTS = sized(5_000, 30_000)

/**
 * The index spends at most a tenth of its time on reading all keys. Right after this many new
 * accounts, one read takes 15 s on a busy machine, so the next one starts 135 s later.
 */
const KEYS_MS_MAX = 600_000

let folder: string
let headgate: TestHeadgate

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-index-'))
  headgate = await open()
  await until(isIndexed, 'the index answers')
})

afterAll(async () => {
  await headgate.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('the index of the token program, on a real ledger', () => {
  test('answers instead of the node, and says which slot it shows', async () => {
    const { json, headers } = await ask({ ...CONFIRMED, withContext: true })
    expect(headers.get('x-headgate-upstream')).toBe('index')
    expect(json.result.context.slot).toBeGreaterThan(0)
    expect(json.result.value.length).toBeGreaterThan(0)
    // On PostgreSQL it is in a folder of the process.
    expect(existsSync(join(folder, `accounts-${SLUG}.sqlite`))).toBe(WORLD === 'embedded')
  })

  test('gives what the node gives, in every encoding, after much was made, changed and closed', async () => {
    const changed = await churn(20)
    await until(async () => (await shownSlot()) > changed, 'the index has seen it')
    for (const encoding of ['base64', 'base64+zstd', 'jsonParsed']) {
      const ours = await ask({ ...CONFIRMED, encoding })
      expect(ours.headers.get('x-headgate-upstream')).toBe('index')
      expect(ours.json.result).toEqual(
        await node().call('getProgramAccounts', PROGRAM, { ...CONFIRMED, encoding }),
      )
    }
  })

  test('parses token accounts whose mint another program owns, as the node does', async () => {
    const [known, odd, none] = [TOKEN_2022_MINT.key, keyOf(201), keyOf(202)]
    const owner = encodeKey(keyOf(203))
    const mint = { pubkey: encodeKey(odd), owner, lamports: 1, data: bytesText(mintOf(7)) }
    const accounts = [known, odd, none].map((key, at) => ({
      pubkey: encodeKey(keyOf(210 + at)),
      owner: PROGRAM,
      lamports: 1,
      data: bytesText(tokenAccountOf(key)),
    }))
    const changed = await node().call('headgate_setAccounts', [mint, ...accounts])
    await until(async () => (await shownSlot()) > changed, 'the index has seen it')
    const config = { ...CONFIRMED, encoding: 'jsonParsed' }
    const ours = await ask(config)
    expect(ours.headers.get('x-headgate-upstream')).toBe('index')
    expect(ours.json.result).toEqual(await node().call('getProgramAccounts', PROGRAM, config))
    const decimals = accounts.map(({ pubkey }) => {
      const found = ours.json.result.find((one: { pubkey: string }) => one.pubkey === pubkey)
      return found?.account.data.parsed.info.tokenAmount.decimals
    })
    expect(decimals).toEqual([6, 7, undefined])
  })

  test('gives what the node gives for filters and slices, in both orders', async () => {
    const { result } = (await ask({ ...CONFIRMED })).json
    const owner = Buffer.from(result[0].account.data[0], 'base64').subarray(32, 64)
    const filters = [
      { dataSize: 165 },
      { memcmp: { offset: 32, bytes: owner.toString('base64'), encoding: 'base64' } },
    ]
    const config = {
      ...CONFIRMED,
      encoding: 'base64',
      filters,
      dataSlice: { offset: 64, length: 8 },
    }
    const expected = await node().call('getProgramAccounts', PROGRAM, config)
    const ours = await ask(config)
    expect(ours.headers.get('x-headgate-upstream')).toBe('index')
    expect(ours.json.result).toEqual(expected)
    const backwards = await ask({ ...config, order: 'desc' })
    expect(backwards.json.result).toEqual(expected.toReversed())
  })

  test('shows a walk one slot while the accounts go on changing', async () => {
    const whole = await ask({ ...CONFIRMED, withContext: true })
    const slots = new Set<number>()
    const records: unknown[] = []
    let pageKey: string | undefined
    do {
      const config = { ...CONFIRMED, withContext: true, limit: 50, ...(pageKey ? { pageKey } : {}) }
      const { json, headers } = await ask(config)
      expect(headers.get('x-headgate-upstream')).toBe('index')
      slots.add(json.result.context.slot)
      records.push(...json.result.value)
      pageKey = json.result.pageKey
      await churn(1)
    } while (pageKey !== undefined)
    expect(slots.size).toBe(1)
    const [slot] = slots
    if (slot === whole.json.result.context.slot) expect(records).toEqual(whole.json.result.value)
    expect(new Set(records.map((one) => (one as { pubkey: string }).pubkey)).size).toBe(
      records.length,
    )
  })

  test('serves finalized reads, and leaves those of processed to the node', async () => {
    await until(async () => (await upstreamOf({})) === 'index', 'finalized reads are served')
    expect(await upstreamOf({ commitment: 'processed' })).toBe('devnet')
    expect(await upstreamOf({ ...CONFIRMED, minContextSlot: 2 ** 52 })).not.toBe('index')
  })

  test('serves what changed since a slot', async () => {
    const since = await node().call('getSlot', CONFIRMED)
    const changed = await churn(1)
    await until(async () => (await shownSlot()) > changed, 'the index has seen it')
    const config = { ...CONFIRMED, changedSinceSlot: since }
    const { json } = await ask(config, 'getProgramAccountsV2')
    const { json: all } = await ask(CONFIRMED, 'getProgramAccountsV2')
    expect(json.result.accounts.length).toBeGreaterThan(0)
    expect(json.result.accounts.length).toBeLessThan(all.result.accounts.length)
  })

  test('is told of to operators', async () => {
    expect(await reportOf()).toMatchObject({ program: PROGRAM, state: 'live', last_fault: null })
    const { text } = await headgate.api('GET', '/metrics')
    expect(text).toContain(`headgate_index_live{network="SOLANA_DEVNET",program="${PROGRAM}"} 1`)
    expect(text).toContain('headgate_index_lag_slots{')
  })

  test(
    'gives a page of megabytes as the node does, whole and in a batch',
    async () => {
      const { slot } = await churnAccounts(node(), { program: PROGRAM, create: ACCOUNTS })
      await until(async () => (await shownSlot()) > slot, 'the index has seen it', KEYS_MS_MAX)
      const theirs = await node().call('getProgramAccounts', PROGRAM, {
        ...CONFIRMED,
        encoding: 'base64',
      })
      const { json, text, headers } = await ask(CONFIRMED)
      expect([headers.get('x-headgate-upstream'), text.length > ACCOUNTS * 300]).toEqual([
        'index',
        true,
      ])
      expect(json.result.length).toBe(theirs.length)
      expect(json.result).toEqual(theirs)
      const batch = await headgate.post(
        [rpc('getProgramAccounts', [PROGRAM, CONFIRMED], 1), rpc('getSlot', [], 2)],
        { slug: SLUG },
      )
      expect(batch.json[0].result).toEqual(theirs)
      expect(batch.json[1].result).toBeNumber()
    },
    KEYS_MS_MAX + 180_000,
  )
})

test('after a restart on a ledger that began anew, nothing of the old one is shown', async () => {
  await churn(5)
  await headgate.stop()
  headgate = await open()
  await until(isIndexed, 'the index answers')
  const ours = await ask(CONFIRMED)
  const theirs = await node().call('getProgramAccounts', PROGRAM, {
    ...CONFIRMED,
    encoding: 'base64',
  })
  expect(ours.json.result).toEqual(theirs)
})

function mintOf(decimals: number): Uint8Array {
  const data = new Uint8Array(82)
  data[44] = decimals
  data[45] = 1
  return data
}

function tokenAccountOf(mint: Uint8Array): Uint8Array {
  const data = new Uint8Array(165)
  data.set(mint)
  data[64] = 5
  data[108] = 1
  return data
}

function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

async function open(): Promise<TestHeadgate> {
  const started = await startHeadgate({
    dataFolder: folder,
    env: { HEADGATE_DEVNET_SLOT_TIME_MS: '50', HEADGATE_PROGRAM_ACCOUNTS_INDEX: PROGRAM },
  })
  return started
}

function ask(config: object, method = 'getProgramAccounts'): Promise<Answer> {
  return headgate.post(rpc(method, [PROGRAM, config]), { slug: SLUG })
}

async function upstreamOf(config: object): Promise<string | null> {
  return (await ask(config)).headers.get('x-headgate-upstream')
}

async function isIndexed(): Promise<boolean> {
  return (await upstreamOf(CONFIRMED)) === 'index'
}

/** The index's own slot: while it is behind, the node answers calls. */
async function shownSlot(): Promise<number> {
  const { state, slot } = await reportOf()
  return state === 'live' ? (slot ?? 0) : 0
}

async function reportOf() {
  const { json } = await headgate.api('GET', '/api/networks')
  const network = json.data.find(({ slug }: { slug: string }) => slug === SLUG)
  return network.account_indexes[0]
}

/** The ledger itself, past Headgate. */
function node() {
  const network = headgate.running.settings.networks.find(({ slug }) => slug === SLUG)
  return solanaRpc(network?.upstreams[0]?.url ?? '')
}

/** Makes, changes and closes accounts so many times; returns a slot by which all of it is done. */
async function churn(times: number): Promise<number> {
  let slot = 0
  for (let time = 0; time < times; time++) {
    const counts = { create: 12, change: 8, close: 3 }
    slot = (await churnAccounts(node(), { program: PROGRAM, ...counts })).slot
  }
  return slot
}
