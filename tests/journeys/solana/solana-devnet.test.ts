import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM_IDS } from '../../../src/core/solana/programs.ts'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { callAndCheck } from '../../support/product/checked-call.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { solanaRpc } from '../../support/solana/solana-rpc.ts'

setDefaultTimeout(60_000)

const SLUG = 'solana-devnet'
const PATH = '/api/devnet/solana'
const TOKEN_ACCOUNTS = 300
const PAGE = 40
const INDEXED = [
  PROGRAM_IDS.splToken2022,
  { encoding: 'base64', commitment: 'confirmed', withContext: true },
]

let folder: string
let headgate: TestHeadgate

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-solana-'))
  headgate = await open()
})
afterAll(async () => {
  await headgate.stop()
  rmSync(folder, { recursive: true })
})

describe('the Solana ledger of local development', () => {
  test('shows its accounts in pages of one slot while they change', async () => {
    const first = await changed({})
    const found: string[] = []
    const slots = new Set<number>()
    let pageKey: string | undefined
    do {
      const page = await pageOf(pageKey)
      expect(page.value.length).toBeLessThanOrEqual(PAGE)
      found.push(...page.value.map((one: { pubkey: string }) => one.pubkey))
      slots.add(page.context.slot)
      pageKey = page.pageKey
      // The next page is asked for when the ledger is in another slot, with other accounts.
      const { slot } = await changed({})
      await until(async () => (await changed({})).slot > slot, 'the next slot')
    } while (pageKey !== undefined)
    expect(new Set(found).size).toBe(found.length)
    expect(slots.size).toBe(1)
    expect(found.length).toBeGreaterThan(TOKEN_ACCOUNTS / 3)
    const isSent = async () => (await changed({})).transactions > first.transactions
    await until(isSent, 'the ledger sends transactions of its own')
  })

  test('is shown, and changed while it runs', async () => {
    const shown = await callAndCheck(headgate.url, 'GET', PATH, { token: headgate.teamToken })
    expect(shown.body.data).toMatchObject({
      network: 'SOLANA_DEVNET',
      slot_time_ms: 50,
      is_held: false,
      changes_per_slot: 6,
    })
    expect(shown.body.data.token_accounts).toBeGreaterThan(TOKEN_ACCOUNTS - 20)
    const held = await changed({ is_held: true, slot_time_ms: 20 })
    expect(held).toMatchObject({ is_held: true, slot_time_ms: 20, changes_per_slot: 6 })
    const quiet = await changed({ changes_per_slot: 0 })
    expect(quiet.slot).toBe(held.slot)
    await changed({ is_held: false })
    await until(async () => (await changed({})).slot > held.slot + 3, 'it goes on')
    expect((await changed({})).transactions).toBe(quiet.transactions)
    await changed({ slot_time_ms: 50, changes_per_slot: 6 })
  })

  test.each([
    [{ slot_time_ms: 9 }],
    [{ slot_time_ms: 600_001 }],
    [{ slot_time_ms: 50.5 }],
    [{ slot_time_ms: '50' }],
    [{ slot_time_ms: null }],
    [{ changes_per_slot: -1 }],
    [{ changes_per_slot: 5_001 }],
    [{ changes_per_slot: 1e300 }],
    [{ is_held: 'true' }],
    [{ is_held: false, speed: 3 }],
    [[]],
    ['fast'],
    [null],
  ])('refuses %j and stays as it is', async (body) => {
    const before = await changed({})
    const answer = await headgate.api('PATCH', PATH, body, headgate.teamToken)
    expect(answer.status).toBe(400)
    const { slot_time_ms, is_held, changes_per_slot } = before
    expect(await changed({})).toMatchObject({ slot_time_ms, is_held, changes_per_slot })
  })

  test('begins anew with each start, and a page key from before never leads astray', async () => {
    const { pageKey } = await pageOf()
    const wallet = '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw'
    await ask('requestAirdrop', [wallet, 5_000_000_000])
    const balance = async () => (await ask('getBalance', [wallet])).result.value
    await until(async () => (await balance()) > 0, 'the airdrop is there')
    const { slot } = await changed({})
    await restart()
    expect((await changed({})).slot).toBeLessThan(slot)
    expect(await balance()).toBe(0)
    expect((await accounts()).length).toBeGreaterThan(TOKEN_ACCOUNTS / 3)
    const { result, error } = await ask('getProgramAccounts', asked(pageKey))
    if (error === undefined) expect(result.value.length).toBeGreaterThan(0)
    else expect(error.message).toBe('pageKey has expired')
  })

  test('has an index that shows the same as the ledger after another restart', async () => {
    await until(async () => (await indexed()) !== null, 'it is indexed')
    await restart()
    await until(async () => (await indexed()) !== null, 'it is indexed again')
    const { slot } = await changed({ changes_per_slot: 0 })
    await until(async () => {
      const found = await indexed()
      return found !== null && found.context.slot > slot
    }, 'the index is up to date')
    const { value } = (await indexed())!
    const node = headgate.running.settings.networks.find(({ slug }) => slug === SLUG)
    const own = solanaRpc(node?.upstreams[0]?.url ?? '')
    expect(value).toEqual(await own.call('getProgramAccounts', ...INDEXED).then((one) => one.value))
  })
})

test('elsewhere there is no such call', async () => {
  const node = startFakeNode('node')
  const other = await startHeadgate({ nodes: [node] })
  for (const method of ['GET', 'PATCH']) {
    const answer = await other.api(method, PATH, method === 'GET' ? undefined : {}, other.teamToken)
    expect(answer.status).toBe(404)
  }
  await other.stop()
  node.stop()
})

function open(): Promise<TestHeadgate> {
  return startHeadgate({
    dataFolder: folder,
    env: {
      HEADGATE_DEVNET_SLOT_TIME_MS: '50',
      HEADGATE_DEVNET_TOKEN_ACCOUNTS: String(TOKEN_ACCOUNTS),
      HEADGATE_DEVNET_CHANGES_PER_SLOT: '6',
      HEADGATE_PROGRAM_ACCOUNTS_INDEX: PROGRAM_IDS.splToken2022,
    },
  })
}

async function restart(): Promise<void> {
  await headgate.stop()
  headgate = await open()
}

async function ask(method: string, params: unknown[]) {
  return (await headgate.post(rpc(method, params), { slug: SLUG })).json
}

function asked(pageKey?: string) {
  const config = { encoding: 'base64', withContext: true, limit: PAGE, ...(pageKey && { pageKey }) }
  return [PROGRAM_IDS.splToken, config]
}

async function pageOf(pageKey?: string) {
  return (await ask('getProgramAccounts', asked(pageKey))).result
}

async function accounts(): Promise<{ pubkey: string }[]> {
  return (await ask('getProgramAccounts', [PROGRAM_IDS.splToken, { encoding: 'base64' }])).result
}

/** The accounts of the indexed program, where the answer is from the index. */
async function indexed() {
  const { headers, json } = await headgate.post(rpc('getProgramAccounts', INDEXED), { slug: SLUG })
  return headers.get('x-headgate-upstream') === 'index' ? json.result : null
}

async function changed(wanted: object) {
  const options = { token: headgate.teamToken, body: wanted }
  const answer = await callAndCheck(headgate.url, 'PATCH', PATH, options)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.data
}
