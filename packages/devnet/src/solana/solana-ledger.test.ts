import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type SolanaRpc, solanaRpc } from '../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../clock.ts'
import { encodeBase58, PROGRAMS } from './solana-account.ts'
import { TEST_WALLETS, TOKEN_2022_MINT, TOKEN_MINT } from './solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from './solana-ledger.ts'
import { keyPairOf } from './solana-message.ts'

setDefaultTimeout(180_000)

const U64_MAX = 18_446_744_073_709_551_615n
const WALLET = encodeBase58(TEST_WALLETS[0]!.key)
const MINT = encodeBase58(TOKEN_MINT.key)
const NOBODY = encodeBase58(keyPairOf('nobody').key)

let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())

describe('a new ledger', () => {
  test('has mints and token accounts of both token programs', async () => {
    const found = async (program: string) => {
      const list = await rpc.call('getProgramAccounts', program, { encoding: 'jsonParsed' })
      return list.map((one: { account: { data: { parsed: { type: string } } } }) => {
        return one.account.data.parsed.type
      })
    }
    for (const program of [PROGRAMS.token, PROGRAMS.token2022]) {
      expect((await found(program)).toSorted()).toEqual([...Array(5).fill('account'), 'mint'])
    }
    const mint = await rpc.call('getAccountInfo', encodeBase58(TOKEN_2022_MINT.key), {
      encoding: 'jsonParsed',
    })
    const extensions = mint.value.data.parsed.info.extensions
    expect(extensions.map((one: { extension: string }) => one.extension)).toEqual([
      'transferFeeConfig',
      'metadataPointer',
      'tokenMetadata',
    ])
  })

  test('has rich wallets, with what they hold to be looked up', async () => {
    expect((await rpc.call('getBalance', WALLET)).value).toBe(1_000_000_000_000)
    const owned = await rpc.call(
      'getTokenAccountsByOwner',
      WALLET,
      { mint: MINT },
      { encoding: 'jsonParsed' },
    )
    const [{ pubkey, account }] = owned.value
    const amount = { amount: '1000000000000', decimals: 6, uiAmountString: '1000000' }
    expect(account.data.parsed.info).toMatchObject({ owner: WALLET, tokenAmount: amount })
    expect((await rpc.call('getTokenAccountBalance', pubkey)).value).toMatchObject(amount)
    const supply = (await rpc.call('getTokenSupply', MINT)).value
    expect(supply).toMatchObject({ amount: '5000000000000', decimals: 6 })
    const wanted = { programId: PROGRAMS.token2022 }
    const newer = await rpc.call('getTokenAccountsByOwner', WALLET, wanted, { encoding: 'base64' })
    expect(newer.value).toHaveLength(1)
  })

  test('moves on by itself', async () => {
    const quick = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 20 })
    const asked = solanaRpc(quick.url)
    const slot = async () => asked.call('getSlot', { commitment: 'processed' })
    const asleep = await slot()
    await asked.call('getVersion')
    const first = await slot()
    expect(first).toBeGreaterThanOrEqual(asleep)
    const hash = (await asked.call('getLatestBlockhash')).value.blockhash
    while ((await slot()) < first + 3) await Bun.sleep(5)
    expect((await asked.call('getLatestBlockhash')).value.blockhash).not.toBe(hash)
    expect((await asked.call('isBlockhashValid', hash)).value).toBe(true)
    await quick.stop()
    expect(await quick.exited).toBe(0)
  })
})

describe('what was at a slot', () => {
  const OWNER = encodeBase58(keyPairOf('a program of what was').key)
  const at = async (commitment: string) => {
    const options = { commitment, encoding: 'base64', withContext: true }
    const { context, value } = await rpc.call('getProgramAccounts', OWNER, options)
    const lamports = value.map((one: { account: { lamports: number } }) => one.account.lamports)
    return { slot: context.slot, lamports }
  }

  test('is told for each commitment as it was then', async () => {
    const pubkey = encodeBase58(keyPairOf('an account of what was').key)
    const states = []
    for (let lamports = 1; lamports <= 8; lamports++) {
      await rpc.call('headgate_setAccounts', [{ pubkey, lamports, owner: OWNER, data: '' }])
      const slot = await rpc.call('getSlot', { commitment: 'processed' })
      states.push({ slot, lamports: [lamports] })
      await rpc.call('headgate_advanceSlots', 1)
    }
    await rpc.call('headgate_setAccounts', [{ pubkey, lamports: 0, owner: OWNER }])
    const now = await rpc.call('getSlot', { commitment: 'processed' })
    expect(await at('processed')).toEqual({ slot: now, lamports: [] })
    expect(await at('confirmed')).toEqual(states.at(-1)!)
    expect(await at('finalized')).toEqual(states.at(-1)!)
    const balance = await rpc.call('getBalance', pubkey, { commitment: 'finalized' })
    expect(balance).toMatchObject({ context: { slot: now - 1 }, value: 8 })
  })

  test('a slot that is not there yet is refused as a node does', async () => {
    const slot = await rpc.call('getSlot')
    for (const method of ['getProgramAccounts', 'getAccountInfo', 'getBalance']) {
      const { error } = await rpc.reply(method, OWNER, { minContextSlot: slot + 1 })
      expect(error).toEqual({
        code: -32016,
        message: 'Minimum context slot has not been reached',
        data: { contextSlot: slot },
      })
      expect((await rpc.reply(method, OWNER, { minContextSlot: slot })).error).toBeUndefined()
    }
  })
})

describe('accounts of a program', () => {
  const PROGRAM = encodeBase58(keyPairOf('a program').key)
  const keys = Array.from({ length: 20 }, (_, at) => keyPairOf(`account ${at}`).key)
  const data = keys.map((key, at) => Buffer.concat([key.subarray(0, 8), Buffer.alloc(at)]))

  beforeAll(async () => {
    const texts = keys.map(
      (key, at) =>
        `{"pubkey":"${encodeBase58(key)}","lamports":${U64_MAX - BigInt(at)},"owner":"${PROGRAM}",` +
        `"data":"${data[at]!.toString('base64')}"}`,
    )
    const params = `[[${texts.join()}]]`
    await rpc.post(`{"jsonrpc":"2.0","id":1,"method":"headgate_setAccounts","params":${params}}`)
    await rpc.call('headgate_advanceSlots', 5)
  })

  test('come sorted by the bytes of their keys, with every digit', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"getProgramAccounts","params":["${PROGRAM}"]}`
    const text = await rpc.post(body)
    const shown = [...text.matchAll(/"pubkey":"(\w+)"/g)].map((match) => match[1])
    expect(shown).toEqual(keys.toSorted(Buffer.compare).map(encodeBase58))
    expect(text).toContain(`"lamports":${U64_MAX},`)
    expect(text).toContain(`"rentEpoch":${U64_MAX},`)
  })

  test.each(['base58', 'base64', 'base64+zstd'])('say the same in %s', async (encoding) => {
    const list = await rpc.call('getProgramAccounts', PROGRAM, { encoding })
    const plain = await rpc.call('getProgramAccounts', PROGRAM, { encoding: 'base64' })
    expect(list).toHaveLength(20)
    for (const [at, { account }] of list.entries()) {
      expect(account.data[1]).toBe(encoding)
      const bytes = Buffer.from(plain[at].account.data[0], 'base64')
      if (encoding === 'base64+zstd') {
        const unpacked = Bun.zstdDecompressSync(Buffer.from(account.data[0], 'base64'))
        expect(unpacked).toEqual(bytes)
      }
      expect(account.space).toBe(bytes.length)
    }
  })

  test('are cut and filtered', async () => {
    const filters = [
      { dataSize: 11 },
      { memcmp: { offset: 0, bytes: data[3]!.toString('base64'), encoding: 'base64' } },
    ]
    const found = await rpc.call('getProgramAccounts', PROGRAM, {
      filters,
      encoding: 'base64',
      dataSlice: { offset: 1, length: 2 },
    })
    const [{ pubkey, account }] = found
    expect([found.length, pubkey, account.space]).toEqual([1, encodeBase58(keys[3]!), 11])
    expect(account.data[0]).toBe(data[3]!.subarray(1, 3).toString('base64'))
  })

  test('are looked up up to a hundred at once', async () => {
    const texts = keys.map(encodeBase58)
    const { value } = await rpc.call('getMultipleAccounts', [...texts, WALLET, NOBODY])
    expect(value).toHaveLength(22)
    expect(value.at(-1)).toBeNull()
    const many = Array(101).fill(WALLET)
    expect((await rpc.reply('getMultipleAccounts', many)).error).toEqual({
      code: -32602,
      message: 'Too many inputs provided; max 100',
    })
  })
})
