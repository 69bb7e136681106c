import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type SolanaRpc, solanaRpc } from '../../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../../clock.ts'
import { encodeBase58, PROGRAMS } from '../solana-account.ts'
import { TEST_WALLETS, TOKEN_MINT } from '../solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'
import { TRADERS } from './sample-accounts.ts'
import { SAMPLE_MINTS } from './sample-mints.ts'

setDefaultTimeout(180_000)

const TOKEN_ACCOUNTS = 600
const MINTS = SAMPLE_MINTS.map(({ key }) => encodeBase58(key))
const TOKEN_PROGRAMS = [PROGRAMS.token, PROGRAMS.token2022]
const NOW = { commitment: 'processed', encoding: 'jsonParsed' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Parsed = { type: string; info: Record<string, any> }

let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  const options = { slotTimeMs: 0, tokenAccounts: TOKEN_ACCOUNTS, changesPerSlot: 24 }
  ledger = await startSolanaLedger({ clock: systemClock(), ...options })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())

describe('a living ledger', () => {
  test('begins with accounts that every program would have made so', async () => {
    const accounts = await tokenAccounts()
    // Five wallets and six traders have accounts of two mints each.
    expect(Math.abs(accounts.size - TOKEN_ACCOUNTS - 22)).toBeLessThan(30)
    const infos = [...accounts.values()]
    const has = (fits: (info: Parsed['info']) => boolean) => infos.some(fits)
    expect(has(({ tokenAmount }) => tokenAmount.amount === '0')).toBe(true)
    expect(has(({ state }) => state === 'frozen')).toBe(true)
    expect(has(({ delegate }) => delegate !== undefined)).toBe(true)
    const mints = new Set(infos.map(({ mint }) => mint))
    for (const mint of MINTS) expect(mints).toContain(mint)
    for (const program of TOKEN_PROGRAMS) {
      // A node leaves out accounts that it cannot parse.
      const bare = await rpc.call('getProgramAccounts', program, { encoding: 'base64' })
      const parsed = await rpc.call('getProgramAccounts', program, { encoding: 'jsonParsed' })
      expect(parsed).toHaveLength(bare.length)
    }
  })

  test('has a mint with a fee and a name of its own', async () => {
    const { value } = await rpc.call('getAccountInfo', MINTS[5], { encoding: 'jsonParsed' })
    const { info } = value.data.parsed
    expect(info.extensions).toMatchObject([
      {
        extension: 'transferFeeConfig',
        state: { newerTransferFee: { transferFeeBasisPoints: 25 } },
      },
      { extension: 'metadataPointer', state: { metadataAddress: MINTS[5] } },
      { extension: 'tokenMetadata', state: { name: 'Headgate Fee', symbol: 'HGF' } },
    ])
  })

  test('changes in each slot, while supplies stay true and accounts are the same', async () => {
    const before = await tokenAccounts()
    expect(await supplies()).toEqual(sums(before))
    await rpc.call('headgate_advanceSlots', 150)
    const after = await tokenAccounts()
    expect(await supplies()).toEqual(sums(after))
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    const moved = [...after].filter(([key, info]) => {
      const was = before.get(key)
      return was !== undefined && was.tokenAmount.amount !== info.tokenAmount.amount
    })
    expect(moved.length).toBeGreaterThan(100)
  })

  test('leaves the documented wallets and their tokens alone', async () => {
    for (const { key } of TEST_WALLETS) {
      expect((await rpc.call('getBalance', encodeBase58(key))).value).toBe(1_000_000_000_000)
    }
    const supply = (await rpc.call('getTokenSupply', encodeBase58(TOKEN_MINT.key))).value
    expect(supply.amount).toBe('5000000000000')
  })

  test('has transactions of its own, some with memos, some that failed', async () => {
    await rpc.call('headgate_advanceSlots', 5)
    const lists = await Promise.all(
      TRADERS.map(({ key }) => rpc.call('getSignaturesForAddress', encodeBase58(key))),
    )
    const listed: { signature: string; err: unknown; memo: string | null }[] = lists.flat()
    expect(listed.filter(({ err }) => err !== null).length).toBeGreaterThan(0)
    const noted = listed.find(({ memo }) => memo !== null)
    expect(noted?.memo).toMatch(/^\[\d+\] (order|invoice) \d+$/)
    const good = listed.filter(({ err }) => err === null)
    const found = await Promise.all(
      good.slice(0, 40).map(({ signature }) => rpc.call('getTransaction', signature)),
    )
    const logs = found.flatMap(({ meta }) => meta.logMessages)
    for (const program of TOKEN_PROGRAMS) expect(logs).toContain(`Program ${program} success`)
  })
})

describe('the pace of a ledger', () => {
  test('is shown', async () => {
    const shown = await rpc.call('headgate_setPace', {})
    expect(shown).toMatchObject({ slotTimeMs: 0, isHeld: false, changesPerSlot: 24 })
    expect(shown.slot).toBe(await rpc.call('getSlot', { commitment: 'processed' }))
  })

  test('can be changed while it runs: quiet, held, and on again', async () => {
    const quiet = await rpc.call('headgate_setPace', { changesPerSlot: 0, slotTimeMs: 10 })
    const slot = async () => (await rpc.call('headgate_setPace', {})).slot
    while ((await slot()) < quiet.slot + 3) await Bun.sleep(2)
    const held = await rpc.call('headgate_setPace', { isHeld: true })
    expect(held.transactions).toBe(quiet.transactions)
    expect(await rpc.call('headgate_advanceSlots', 2)).toBe(held.slot + 2)
    expect(await slot()).toBe(held.slot + 2)
    await rpc.call('headgate_setPace', { isHeld: false, changesPerSlot: 2 })
    while ((await slot()) < held.slot + 60) await Bun.sleep(2)
    expect((await rpc.call('headgate_setPace', {})).transactions).toBeGreaterThan(
      quiet.transactions,
    )
  })
})

/** All token accounts as they are now, by address. */
async function tokenAccounts(): Promise<Map<string, Parsed['info']>> {
  const lists = await Promise.all(
    TOKEN_PROGRAMS.map((program) => rpc.call('getProgramAccounts', program, NOW)),
  )
  type Record = { pubkey: string; account: { data: { parsed: Parsed } } }
  const records: Record[] = lists.flat()
  const accounts = records.filter(({ account }) => account.data.parsed.type === 'account')
  return new Map(accounts.map(({ pubkey, account }) => [pubkey, account.data.parsed.info]))
}

/** The sum of each mint's accounts; fees that are withheld in them are part of the supply. */
function sums(accounts: ReadonlyMap<string, Parsed['info']>): Record<string, string> {
  const total = new Map(MINTS.map((mint) => [mint, 0n]))
  for (const { mint, tokenAmount, extensions = [] } of accounts.values()) {
    const withheld = extensions.map((one: { state?: { withheldAmount?: number } }) =>
      BigInt(one.state?.withheldAmount ?? 0),
    )
    const whole = withheld.reduce(
      (sum: bigint, one: bigint) => sum + one,
      BigInt(tokenAmount.amount),
    )
    if (total.has(mint)) total.set(mint, total.get(mint)! + whole)
  }
  return Object.fromEntries([...total].map(([mint, sum]) => [mint, String(sum)]))
}

async function supplies(): Promise<Record<string, string>> {
  const found = await Promise.all(
    MINTS.map(async (mint) => {
      const { value } = await rpc.call('getTokenSupply', mint, { commitment: 'processed' })
      return [mint, value.amount]
    }),
  )
  return Object.fromEntries(found)
}
