import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  AddressLookupTableProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { type SolanaRpc, solanaRpc } from '../../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../../clock.ts'
import { encodeBase58 } from '../solana-account.ts'
import { TEST_WALLETS } from '../solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'

setDefaultTimeout(180_000)

const PROCESSED = { commitment: 'processed' }
const BASE64 = { encoding: 'base64', preflightCommitment: 'processed' }
const PAYER = Keypair.fromSeed(TEST_WALLETS[0]!.seed)
const SOL = 1_000_000_000

let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())

const balanceOf = async (key: PublicKey) =>
  (await rpc.call('getBalance', key.toBase58(), PROCESSED)).value
const statusOf = async (signature: string) =>
  (await rpc.call('getSignatureStatuses', [signature])).value[0]

describe('a transaction that is sent', () => {
  test.each(['base58', 'base64'] as const)('in %s moves what it says', async (encoding) => {
    const to = Keypair.generate().publicKey
    const bytes = await signed([pays(to, SOL)])
    const text = encoding === 'base58' ? encodeBase58(bytes) : bytes.toString('base64')
    const signature = await rpc.call('sendTransaction', text, { ...BASE64, encoding })
    expect(signature).toBe(encodeBase58(bytes.subarray(1, 65)))
    expect(await balanceOf(to)).toBe(SOL)
    expect(await statusOf(signature)).toMatchObject({ err: null, confirmationStatus: 'processed' })
  })

  test('twice is done once, with and without a look before', async () => {
    const to = Keypair.generate().publicKey
    const text = (await signed([pays(to, SOL)])).toString('base64')
    const signature = await rpc.call('sendTransaction', text, BASE64)
    const again = await rpc.reply('sendTransaction', text, BASE64)
    expect(again.error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed', logs: [] },
    })
    const blindly = { ...BASE64, skipPreflight: true }
    expect(await rpc.call('sendTransaction', text, blindly)).toBe(signature)
    await rpc.call('headgate_advanceSlots', 3)
    expect(await rpc.call('sendTransaction', text, blindly)).toBe(signature)
    expect(await balanceOf(to)).toBe(SOL)
  })

  test('with a blockhash too old is refused', async () => {
    const to = Keypair.generate().publicKey
    const { blockhash } = (await rpc.call('getLatestBlockhash', PROCESSED)).value
    const [first, second] = [
      (await signed([pays(to, SOL)], blockhash)).toString('base64'),
      (await signed([pays(to, 2 * SOL)], blockhash)).toString('base64'),
    ]
    await rpc.call('headgate_advanceSlots', 150)
    await rpc.call('sendTransaction', first, BASE64)
    await rpc.call('headgate_advanceSlots', 1)
    expect((await rpc.call('isBlockhashValid', blockhash, PROCESSED)).value).toBe(false)
    const { error } = await rpc.reply('sendTransaction', second, BASE64)
    expect(error.message).toBe('Transaction simulation failed: Blockhash not found')
    expect(await balanceOf(to)).toBe(SOL)
  })

  test('with a signature of somebody else is refused', async () => {
    const bytes = await signed([pays(Keypair.generate().publicKey, SOL)])
    bytes[5] = (bytes[5] ?? 0) ^ 1
    const { error } = await rpc.reply('sendTransaction', bytes.toString('base64'), BASE64)
    expect(error).toEqual({ code: -32003, message: 'Transaction signature verification failure' })
  })

  test('that would fail is refused with what it said, and costs nothing', async () => {
    const before = await balanceOf(PAYER.publicKey)
    const text = (await signed([pays(Keypair.generate().publicKey, 1e15)])).toString('base64')
    const { error } = await rpc.reply('sendTransaction', text, BASE64)
    expect(error).toMatchObject({
      code: -32002,
      message:
        'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: { err: { InstructionError: [0, { Custom: 1 }] }, unitsConsumed: 150 },
    })
    expect(error.data.logs.join()).toContain('insufficient lamports')
    expect(await balanceOf(PAYER.publicKey)).toBe(before)
  })

  test('that fails without a look before is part of the ledger and pays its fee', async () => {
    const before = await balanceOf(PAYER.publicKey)
    const text = (await signed([pays(Keypair.generate().publicKey, 1e15)])).toString('base64')
    const signature = await rpc.call('sendTransaction', text, { ...BASE64, skipPreflight: true })
    const err = { InstructionError: [0, { Custom: 1 }] }
    expect(await statusOf(signature)).toMatchObject({ err, status: { Err: err } })
    expect(await balanceOf(PAYER.publicKey)).toBe(before - 5_000)
    await rpc.call('headgate_advanceSlots', 5)
    const found = await rpc.call('getTransaction', signature)
    expect(found.meta).toMatchObject({ err, fee: 5_000 })
  })

  test('by a payer who has nothing never happened', async () => {
    const poor = Keypair.generate()
    const to = Keypair.generate().publicKey
    const instruction = SystemProgram.transfer({
      fromPubkey: poor.publicKey,
      toPubkey: to,
      lamports: 1,
    })
    const text = (await signed([instruction], undefined, poor)).toString('base64')
    const signature = await rpc.call('sendTransaction', text, { ...BASE64, skipPreflight: true })
    expect(await statusOf(signature)).toBeNull()
    const { error } = await rpc.reply('sendTransaction', text, BASE64)
    expect(error.data.err).toBe('AccountNotFound')
  })

  test('is shown in each form, once it is confirmed', async () => {
    const to = Keypair.generate().publicKey
    const bytes = await signed([pays(to, SOL)])
    const signature = await rpc.call('sendTransaction', bytes.toString('base64'), BASE64)
    const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
    expect(await rpc.call('getTransaction', signature, options)).toBeNull()
    const slot = (await rpc.call('headgate_advanceSlots', 1)) - 1
    const json = await rpc.call('getTransaction', signature, options)
    expect(json).toMatchObject({
      slot,
      version: 'legacy',
      transaction: { signatures: [signature] },
    })
    expect(json.meta).toMatchObject({ err: null, fee: 5_000 })
    expect(json.meta.postBalances[1] - json.meta.preBalances[1]).toBe(SOL)
    const raw = await rpc.call('getTransaction', signature, { ...options, encoding: 'base64' })
    expect(raw.transaction).toEqual([bytes.toString('base64'), 'base64'])
    const parsed = await rpc.call('getTransaction', signature, {
      ...options,
      encoding: 'jsonParsed',
    })
    expect(parsed.transaction.message.accountKeys[0]).toEqual({
      pubkey: PAYER.publicKey.toBase58(),
      signer: true,
      source: 'transaction',
      writable: true,
    })
  })

  test('may use a lookup table that was made here', async () => {
    const recentSlot = (await rpc.call('getSlot', PROCESSED)) - 1
    const people = { authority: PAYER.publicKey, payer: PAYER.publicKey }
    const [create, table] = AddressLookupTableProgram.createLookupTable({ ...people, recentSlot })
    const to = Keypair.generate().publicKey
    const extend = { ...people, lookupTable: table, addresses: [to] }
    const extending = AddressLookupTableProgram.extendLookupTable(extend)
    await rpc.call(
      'sendTransaction',
      (await signed([create, extending])).toString('base64'),
      BASE64,
    )
    await rpc.call('headgate_advanceSlots', 5)

    const { value } = await rpc.call('getAccountInfo', table.toBase58(), { encoding: 'base64' })
    // Its keys stand behind 56 bytes of its own facts.
    expect(Buffer.from(value.data[0], 'base64').subarray(56).toString('hex')).toBe(
      to.toBuffer().toString('hex'),
    )
    const bytes = await signedWithTable(table, to)
    const signature = await rpc.call('sendTransaction', bytes.toString('base64'), BASE64)
    expect(await balanceOf(to)).toBe(SOL)
    await rpc.call('headgate_advanceSlots', 5)
    const { error } = await rpc.reply('getTransaction', signature)
    expect(error.code).toBe(-32015)
    const options = { maxSupportedTransactionVersion: 0 }
    const { meta, version } = await rpc.call('getTransaction', signature, options)
    expect([version, meta.loadedAddresses.writable]).toEqual([0, [to.toBase58()]])
  })
})

describe('a rehearsal', () => {
  test('shows what would be, and nothing is', async () => {
    const to = Keypair.generate().publicKey
    const text = (await signed([pays(to, SOL)])).toString('base64')
    const accounts = { encoding: 'base64', addresses: [to.toBase58()] }
    const { value } = await rpc.call('simulateTransaction', text, { ...BASE64, accounts })
    expect(value).toMatchObject({ err: null, unitsConsumed: 150, replacementBlockhash: null })
    expect(value.accounts[0].lamports).toBe(SOL)
    expect(await balanceOf(to)).toBe(0)
    await rpc.call('sendTransaction', text, BASE64)
    expect(await balanceOf(to)).toBe(SOL)
  })

  test('needs neither signature nor blockhash when told so', async () => {
    const nowhere = Keypair.generate().publicKey.toBase58()
    const bytes = await signed([pays(Keypair.generate().publicKey, SOL)], nowhere)
    bytes.fill(0, 1, 65)
    const text = bytes.toString('base64')
    const free = { ...BASE64, sigVerify: false, replaceRecentBlockhash: true }
    const { value } = await rpc.call('simulateTransaction', text, free)
    expect(value.err).toBeNull()
    expect(value.replacementBlockhash.blockhash).not.toBe(nowhere)
    const { value: old } = await rpc.call('simulateTransaction', text, BASE64)
    expect(old.err).toBe('BlockhashNotFound')
    const { error } = await rpc.reply('simulateTransaction', text, { ...BASE64, sigVerify: true })
    expect(error.code).toBe(-32003)
  })
})

function pays(to: PublicKey, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: PAYER.publicKey, toPubkey: to, lamports })
}

async function signed(
  instructions: readonly TransactionInstruction[],
  blockhash?: string,
  payer = PAYER,
): Promise<Buffer> {
  const transaction = new Transaction()
  transaction.feePayer = payer.publicKey
  transaction.recentBlockhash = blockhash ?? (await latest())
  transaction.add(...instructions).sign(payer)
  return transaction.serialize()
}

async function signedWithTable(table: PublicKey, to: PublicKey): Promise<Buffer> {
  const facts = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
  }
  const message = new TransactionMessage({
    payerKey: PAYER.publicKey,
    recentBlockhash: await latest(),
    instructions: [pays(to, SOL)],
  })
  const state = { addresses: [to], ...facts }
  const known = [{ key: table, state, isActive: () => true }]
  const transaction = new VersionedTransaction(message.compileToV0Message(known))
  transaction.sign([PAYER])
  return Buffer.from(transaction.serialize())
}

async function latest(): Promise<string> {
  return (await rpc.call('getLatestBlockhash', PROCESSED)).value.blockhash
}
