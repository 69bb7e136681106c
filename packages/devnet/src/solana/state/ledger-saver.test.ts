import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeKey, encodeKey } from '../../../../../src/core/solana/base58.ts'
import { PROGRAM_IDS } from '../../../../../src/core/solana/programs.ts'
import { systemClock } from '../../../../../src/system/machine/system-clock.ts'
import { type SolanaRpc, solanaRpc } from '../../../../../tests/support/solana-rpc.ts'
import { SAMPLE_MINTS } from '../activity/sample-mints.ts'
import { TEST_WALLETS } from '../solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'
import { keyPairOf, signedTransaction } from '../solana-message.ts'

setDefaultTimeout(180_000)

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const OWN_PROGRAM = encodeKey(keyPairOf('a program of our own').key)
const WALLET = TEST_WALLETS[0]!
const NOW = { commitment: 'processed', encoding: 'base64' }

let folder: string
let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-ledger-'))
  await start()
})
afterAll(async () => {
  await ledger.stop()
  rmSync(folder, { recursive: true })
})

describe('a ledger with a folder', () => {
  test('goes on after a stop where it was', async () => {
    expect(ledger).toMatchObject({ isNew: true, setAside: null })
    await rpc.call('headgate_advanceSlots', 20)
    const { value } = await rpc.call('getAccountInfo', MEMO, { encoding: 'base64' })
    const { lamports, owner, data } = value
    const copied = { pubkey: OWN_PROGRAM, lamports, owner, data: data[0], executable: true }
    await rpc.call('headgate_setAccounts', [copied])
    const sent = await send('before')
    await rpc.call('headgate_advanceSlots', 6)
    const before = await everything()
    const transaction = await rpc.call('getTransaction', sent.signature)
    const { blockhash } = (await rpc.call('getLatestBlockhash', NOW)).value

    await restart()
    expect(ledger.isNew).toBe(false)
    const after = await everything()
    expect(after.slot).toBeGreaterThan(before.slot)
    expect(after).toEqual({ ...before, slot: after.slot })
    expect(await rpc.call('getTransaction', sent.signature)).toEqual(transaction)
    expect((await rpc.call('isBlockhashValid', blockhash, NOW)).value).toBe(true)
    const again = await rpc.reply('sendTransaction', sent.text, { encoding: 'base64' })
    expect(again.error.message).toContain('already been processed')
    // The program that was written by hand runs after the next start, too.
    const { signature } = await send('after')
    await rpc.call('headgate_advanceSlots', 6)
    const { meta } = await rpc.call('getTransaction', signature)
    expect(meta.logMessages).toContain(`Program ${OWN_PROGRAM} success`)
    expect((await rpc.call('getLatestBlockhash', NOW)).value.blockhash).not.toBe(blockhash)
  })

  test('that is killed loses little, and shows no slot again', async () => {
    const kept = await everything()
    await restart()
    await rpc.call('headgate_advanceSlots', 40)
    const seen = await rpc.call('getSlot', { commitment: 'processed' })
    process.kill(ledger.pid, 'SIGKILL')
    await ledger.exited
    // The end of a process in the middle of writing leaves a batch that is cut short.
    appendFileSync(file(), readFileSync(file()).subarray(8, 8 + 12 + 3))
    await start()
    expect(ledger).toMatchObject({ isNew: false, setAside: null })
    const after = await everything()
    expect(after.slot).toBeGreaterThan(seen)
    expect(after.count).toBeGreaterThanOrEqual(kept.count)
    expect(after.signatures).toEqual(kept.signatures)
    // All of one moment is there: tokens that have left one account have come to another.
    const mints = new Map(SAMPLE_MINTS.map(({ key }) => [key.toHex(), [0n, 0n]]))
    for (const { pubkey, account } of after.tokens) {
      const data = Buffer.from(account.data[0], 'base64')
      const isAccount = data.length >= 165 && data[165] !== 1
      const pair = mints.get(isAccount ? data.toHex().slice(0, 64) : decodeKey(pubkey)!.toHex())
      if (pair === undefined) continue
      if (!isAccount) pair[0] = data.readBigUInt64LE(36)
      else
        pair[1]! += data.readBigUInt64LE(64) + (data.length > 170 ? data.readBigUInt64LE(174) : 0n)
    }
    for (const [supply, sum] of mints.values()) expect(sum).toBe(supply!)
  })

  test('is not spoilt by a process that ends late', async () => {
    const late = ledger
    await start()
    const kept = await everything()
    // It still has something to save, into a file that is no longer the ledger's.
    await solanaRpc(late.url).call('headgate_advanceSlots', 100)
    await late.stop()
    await restart()
    expect(ledger).toMatchObject({ isNew: false, setAside: null })
    const after = await everything()
    expect(after.slot).toBeGreaterThan(kept.slot)
    expect(after).toEqual({ ...kept, slot: after.slot })
  })

  test('that nobody looked at shows no slot again either', async () => {
    await restart()
    const seen = await rpc.call('getSlot', { commitment: 'processed' })
    await restart()
    expect(await rpc.call('getSlot', { commitment: 'processed' })).toBeGreaterThan(seen)
    expect(ledger.isNew).toBe(false)
  })

  test.each([
    [
      'a byte in the middle',
      (bytes: Buffer) => bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64),
    ],
    ['the length of its first batch', (bytes: Buffer) => bytes.fill(0xff, 8, 12)],
    ['its head', (bytes: Buffer) => bytes.fill(0, 0, 4)],
    ['everything', () => Buffer.from('not a ledger at all')],
  ])('whose file lost %s begins anew, and the file is set aside', async (_what, broken) => {
    await ledger.stop()
    const bytes = broken(readFileSync(file()))
    writeFileSync(file(), bytes)
    await start()
    expect(ledger.isNew).toBe(true)
    expect(readFileSync(ledger.setAside ?? '').equals(bytes)).toBe(true)
    expect((await rpc.call('getAccountInfo', OWN_PROGRAM)).value).toBeNull()
    const balance = await rpc.call('getBalance', encodeKey(WALLET.key))
    expect(balance.value).toBe(1_000_000_000_000)
    expect(existsSync(file())).toBe(true)
  })
})

async function start(): Promise<void> {
  const options = { slotTimeMs: 0, tokenAccounts: 40, changesPerSlot: 6, folder }
  ledger = await startSolanaLedger({ clock: systemClock(), ...options })
  rpc = solanaRpc(ledger.url)
}

async function restart(): Promise<void> {
  await ledger.stop()
  await start()
}

function file(): string {
  return join(folder, 'ledger.log')
}

/** Sends a memo to the copied program. */
async function send(memo: string) {
  const { blockhash } = (await rpc.call('getLatestBlockhash', NOW)).value
  const program = decodeKey(OWN_PROGRAM)!
  const instruction = { program, accounts: [], data: Buffer.from(memo) }
  const bytes = signedTransaction([WALLET], decodeKey(blockhash)!, [instruction])
  const text = bytes.toBase64()
  const signature: string = await rpc.call('sendTransaction', text, { encoding: 'base64' })
  return { text, signature }
}

/** All that is to be the same after a restart, and the slot, which is not. */
async function everything() {
  const programs = [PROGRAM_IDS.splToken, PROGRAM_IDS.splToken2022, PROGRAM_IDS.stake]
  const lists = await Promise.all(
    programs.map((program) => rpc.call('getProgramAccounts', program, NOW)),
  )
  return {
    tokens: lists.flat(),
    wallet: (await rpc.call('getBalance', encodeKey(WALLET.key), NOW)).value,
    signatures: await rpc.call('getSignaturesForAddress', encodeKey(WALLET.key)),
    supply: (await rpc.call('getSupply', { commitment: 'processed' })).value.total,
    count: await rpc.call('getTransactionCount'),
    slot: await rpc.call('getSlot', { commitment: 'processed' }),
  }
}
