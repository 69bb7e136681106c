import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import { systemClock } from '../../../../../src/system/machine/system-clock.ts'
import { type SolanaRpc, solanaRpc } from '../../../../../tests/support/solana-rpc.ts'
import { FAUCET, TEST_WALLETS } from '../solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'
import { keyPairOf } from '../solana-message.ts'

setDefaultTimeout(180_000)

const SOL = 1_000_000_000
const OWNER = encodeKey(keyPairOf('some program').key)

let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())

type Large = { address: string; lamports: number }

describe('the supply', () => {
  test('is what all accounts hold together, and circulates', async () => {
    const { value } = await rpc.call('getSupply')
    expect(value).toEqual({
      circulating: value.total,
      nonCirculating: 0,
      nonCirculatingAccounts: [],
      total: expect.any(Number),
    })
    // The faucet's half a billion, and what the machine has by itself.
    expect(value.total).toBeGreaterThan(500_000_000 * SOL)
  })

  test('grows by what is put there and shrinks by fees, not by transfers', async () => {
    // As text: no double holds all of its digits.
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getSupply',
      params: [{ commitment: 'processed' }],
    })
    const total = async () => BigInt((await rpc.post(body)).match(/"total":(\d+)/)?.[1] ?? 0)
    const before = await total()
    const pubkey = encodeKey(keyPairOf('made of nothing').key)
    const account = { pubkey, lamports: 7 * SOL, owner: OWNER, data: '' }
    await rpc.call('headgate_setAccounts', [account])
    expect((await total()) - before).toBe(7n * BigInt(SOL))
    await rpc.call('requestAirdrop', encodeKey(TEST_WALLETS[0]!.key), SOL)
    expect((await total()) - before).toBe(7n * BigInt(SOL) - 5_000n)
  })
})

describe('the largest accounts', () => {
  test('are twenty at most, the richest first', async () => {
    const { value } = (await rpc.call('getLargestAccounts')) as { value: Large[] }
    expect(value).toHaveLength(20)
    expect(value[0]?.address).toBe(encodeKey(FAUCET.key))
    const lamports = value.map((one) => one.lamports)
    expect(lamports).toEqual(lamports.toSorted((a, b) => b - a))
    for (const { key } of TEST_WALLETS) {
      expect(value.map(({ address }) => address)).toContain(encodeKey(key))
    }
  })

  test('that do not circulate are none', async () => {
    const { value } = await rpc.call('getLargestAccounts', { filter: 'nonCirculating' })
    expect(value).toEqual([])
  })

  test('of an unknown kind are refused', async () => {
    const { error } = await rpc.reply('getLargestAccounts', { filter: 'all' })
    expect(error.code).toBe(-32602)
  })
})

test('nobody votes, nobody earns, and the node is alone', async () => {
  expect(await rpc.call('getVoteAccounts')).toEqual({ current: [], delinquent: [] })
  expect(await rpc.call('getInflationRate')).toEqual({
    epoch: expect.any(Number),
    foundation: 0,
    total: 0,
    validator: 0,
  })
  const { identity } = await rpc.call('getIdentity')
  expect(await rpc.call('getClusterNodes')).toMatchObject([
    { pubkey: identity, version: '4.1.0', gossip: null },
  ])
})

describe('slots and their leaders', () => {
  const stranger = encodeKey(keyPairOf('stranger').key)

  test.each([
    ['getSlotLeaders', [440_208_000, 5_001], 'Invalid limit; max 5000'],
    [
      'getSlotLeaders',
      [900_000_000, 5],
      'Invalid slot range: leader schedule for epoch 2096 is unavailable',
    ],
    ['getSlotLeaders', [-1, 5], 'Invalid params: invalid value: integer `-1`, expected u64.'],
    [
      'getBlockProduction',
      [{ range: { firstSlot: 5, lastSlot: 4 } }],
      'lastSlot, 4, cannot be less than firstSlot, 5',
    ],
    [
      'getBlockProduction',
      [{ range: { firstSlot: 1 } }],
      'firstSlot, 1, is too small; min 440208000',
    ],
    ['getBlockProduction', [{ identity: 'no key' }], 'Invalid param: Invalid'],
    ['getBlocksWithLimit', [440_208_000, 500_001], 'Limit too large; max 500000'],
    ['getRecentPerformanceSamples', [721], 'Invalid limit; max 720'],
    ['getLeaderSchedule', [null, { identity: 7 }], /expected a string/],
    ['getInflationReward', [['no key']], 'Invalid param: Invalid'],
    ['getTokenLargestAccounts', [stranger], 'Invalid param: could not find mint'],
    ['getHighestSnapshotSlot', [], 'No snapshot'],
  ] as [string, unknown[], string | RegExp][])(
    'are refused in the words of a node: %s %j',
    async (method, params, words) => {
      const { error } = await rpc.reply(method, ...params)
      if (typeof words === 'string') expect(error?.message).toBe(words)
      else expect(error?.message).toMatch(words)
    },
  )

  test('are those of one node, and nothing of another', async () => {
    expect(await rpc.call('getLeaderSchedule', null, { identity: stranger })).toEqual({})
    expect(await rpc.call('getLeaderSchedule', 900_000_000)).toBeNull()
    const { value } = await rpc.call('getBlockProduction', { identity: stranger })
    expect(value.byIdentity).toEqual({})
    const first = await rpc.call('minimumLedgerSlot')
    expect(await rpc.call('getBlocksWithLimit', first, 3)).toEqual([first, first + 1])
    expect(await rpc.call('getBlockCommitment', first)).toEqual({ commitment: null, totalStake: 0 })
    const now = await rpc.call('getSlot', { commitment: 'processed' })
    expect(await rpc.call('getMaxShredInsertSlot')).toBeGreaterThanOrEqual(now)
    expect(await rpc.call('getMaxRetransmitSlot')).toBeGreaterThanOrEqual(now)
  })
})
