import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { TEST_WALLETS, TOKEN_MINT } from '../../../packages/devnet/src/solana/solana-genesis.ts'
import {
  type SolanaLedger,
  startSolanaLedger,
} from '../../../packages/devnet/src/solana/solana-ledger.ts'
import { encodeBase58 } from '../../../src/core/solana/base58.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'
import { type SolanaRpc, solanaRpc } from '../../support/solana/solana-rpc.ts'

setDefaultTimeout(180_000)

const SOL = 1_000_000_000
const FEE = 5_000
const PAYER = Keypair.fromSeed(TEST_WALLETS[0]!.seed)
const MINT = encodeBase58(TOKEN_MINT.key)
const WALLET = Keypair.fromSeed(TEST_WALLETS[2]!.seed).publicKey.toBase58()

let ledger: SolanaLedger
let nodes: FakeNode[]
let journey: PoolJourney
/** Headgate over two nodes of one ledger, and the ledger itself. */
let gate: SolanaRpc
let direct: SolanaRpc

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  direct = solanaRpc(ledger.url)
  nodes = ['first', 'second'].map(startFakeNode)
  for (const node of nodes) node.misbehave = (_method, body) => pass(body)
  journey = await poolJourney(nodes, {
    network: { ...SOLANA_NETWORK, genesisHash: ledger.genesisHash },
  })
  gate = solanaRpc(gateUrl())
})

afterAll(async () => {
  await journey.stop()
  await ledger.stop()
})

describe('with nodes that lose their answers after they did what was asked', () => {
  test('an airdrop is given once, and the caller hears that nobody knows', async () => {
    loseAnswersTo('requestAirdrop')
    const wallet = Keypair.generate().publicKey.toBase58()
    const reply = await gate.reply('requestAirdrop', wallet, SOL)
    await direct.call('headgate_advanceSlots', 10)
    expect(reply.error.code).toBe(-32603)
    expect(await balance(wallet)).toBe(SOL)
    expect(sent('requestAirdrop')).toBe(1)
  })

  test('a transaction is sent once, and its signature tells that it landed', async () => {
    loseAnswersTo('sendTransaction')
    const to = Keypair.generate().publicKey
    const { signature, wire } = await transfer(to, 2 * SOL)
    const reply = await gate.reply('sendTransaction', wire, { encoding: 'base64' })
    await direct.call('headgate_advanceSlots', 10)
    expect(reply.error.code).toBe(-32603)
    expect(sent('sendTransaction')).toBe(1)
    const { value } = await gate.call('getSignatureStatuses', [signature])
    expect(value[0]).toMatchObject({ err: null, confirmationStatus: 'finalized' })
    expect(await balance(to.toBase58())).toBe(2 * SOL)
  })
})

describe('a ledger through Headgate', () => {
  beforeAll(() => {
    for (const node of nodes) node.misbehave = (_method, body) => pass(body)
  })

  test('shows an account digit for digit', async () => {
    const pubkey = Keypair.generate().publicKey.toBase58()
    const numbers = '"lamports":9007199254740993,"rentEpoch":18446744073709551615'
    const account = `{"pubkey":"${pubkey}",${numbers},"owner":"${pubkey}","data":""}`
    await direct.post(
      `{"jsonrpc":"2.0","id":1,"method":"headgate_setAccounts","params":[[${account}]]}`,
    )
    await direct.call('headgate_advanceSlots', 10)
    const params = `["${pubkey}",{"encoding":"base64"}]`
    const body = `{"jsonrpc":"2.0","id":1,"method":"getAccountInfo","params":${params}}`
    for (const text of [await gate.post(body), await gate.post(`[${body},${body}]`)]) {
      expect(text).toContain('"lamports":9007199254740993')
      expect(text).toContain('"rentEpoch":18446744073709551615')
    }
  })

  test.each([
    ['getBalance', [WALLET]],
    ['getAccountInfo', [WALLET, { encoding: 'base64' }]],
    ['getAccountInfo', ['no key']],
    ['getAccountInfo', [WALLET, { encoding: 'hex' }]],
    ['getEpochInfo', []],
    ['getVersion', []],
    ['getLatestBlockhash', [{ commitment: 'finalized' }]],
    ['getBlock', [1]],
    ['getSupply', []],
    ['getBlockTime', [900_000_000]],
    ['getBalance', [WALLET, { minContextSlot: 900_000_000 }]],
    ['getTransaction', ['no signature']],
    ['noSuchMethod', []],
  ] as [string, unknown[]][])('answers as its node does: %s %j', async (method, params) => {
    expect(await gate.reply(method, ...params)).toEqual(await direct.reply(method, ...params))
  })

  test('tells who holds most of a token, and who may spend for another', async () => {
    const { value } = await new Connection(gateUrl()).getTokenLargestAccounts(new PublicKey(MINT))
    expect(value.length).toBeGreaterThan(0)
    const amounts = value.map(({ amount }) => BigInt(amount))
    expect(amounts).toEqual(amounts.toSorted((a, b) => (a > b ? -1 : 1)))
    const [first] = value
    const balance = await gate.call('getTokenAccountBalance', first?.address.toBase58())
    expect(balance.value.amount).toBe(first?.amount)
    expect((await gate.reply('getTokenLargestAccounts', WALLET)).error.message).toBe(
      'Invalid param: not a Token mint',
    )
    const none = await gate.call('getTokenAccountsByDelegate', WALLET, { mint: MINT })
    expect(none.value).toEqual([])
  })

  test('refuses a transaction that would fail in the words of the node, asked once', async () => {
    const { wire } = await transfer(Keypair.generate().publicKey, 9_000_000 * SOL)
    const before = sent('sendTransaction')
    const { error } = await gate.reply('sendTransaction', wire, { encoding: 'base64' })
    expect(error.code).toBe(-32002)
    expect(error.message).toStartWith('Transaction simulation failed')
    expect(error.data.logs).toBeArray()
    expect(sent('sendTransaction')).toBe(before + 1)
  })

  test('moves money once for a transaction that its sender sends again', async () => {
    const to = Keypair.generate().publicKey
    const { signature, wire } = await transfer(to, 3 * SOL)
    expect(await gate.call('sendTransaction', wire, { encoding: 'base64' })).toBe(signature)
    await gate.reply('sendTransaction', wire, { encoding: 'base64' })
    await direct.call('headgate_advanceSlots', 10)
    expect(await balance(to.toBase58())).toBe(3 * SOL)
    const connection = new Connection(gateUrl())
    const [only, ...others] = await connection.getSignaturesForAddress(to)
    expect(only).toMatchObject({ signature, err: null, confirmationStatus: 'finalized' })
    expect(others).toEqual([])
    const payers = await connection.getSignaturesForAddress(PAYER.publicKey, { limit: 2 })
    expect(payers[0]?.signature).toBe(signature)
    const older = { before: signature }
    expect(await connection.getSignaturesForAddress(to, older)).toEqual([])
    expect((await connection.getSignaturesForAddress(PAYER.publicKey, older))[0]).toEqual(payers[1])
    const newer = { until: payers[1]?.signature ?? '' }
    expect(await connection.getSignaturesForAddress(PAYER.publicKey, newer)).toHaveLength(1)
    const tooMany = await gate.reply('getSignaturesForAddress', WALLET, { limit: 1_001 })
    expect(tooMany.error.message).toBe('Invalid limit; max 1000')
    expect(await balance(PAYER.publicKey.toBase58())).toBe(1_000 * SOL - 5 * SOL - 2 * FEE)
  })
})

function gateUrl(): string {
  return `${journey.gate.url}/solana-mainnet/v2/${journey.gate.appKey}`
}

async function pass(body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(ledger.url, { method: 'POST', headers, body })
  return new Response(await answer.text(), { headers })
}

/** Both nodes hand the call on to the ledger, and then answer nothing of use. */
function loseAnswersTo(lost: string): void {
  for (const node of nodes) {
    node.misbehave = async (method, body) => {
      const answer = await pass(body)
      return method === lost ? new Response('lost', { status: 502 }) : answer
    }
  }
}

function sent(method: string): number {
  return nodes.reduce((sum, node) => sum + node.callsOf(method), 0)
}

async function balance(address: string): Promise<number> {
  return (await gate.call('getBalance', address)).value
}

async function transfer(to: Keypair['publicKey'], lamports: number) {
  const { value } = await gate.call('getLatestBlockhash')
  const transaction = new Transaction({ feePayer: PAYER.publicKey, ...value }).add(
    SystemProgram.transfer({ fromPubkey: PAYER.publicKey, toPubkey: to, lamports }),
  )
  transaction.sign(PAYER)
  const signature = encodeBase58(transaction.signature!)
  return { signature, wire: transaction.serialize().toString('base64') }
}
