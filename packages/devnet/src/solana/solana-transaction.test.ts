import { describe, expect, test } from 'bun:test'
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { isWritable, readTransaction, type WireTransaction } from './solana-transaction.ts'

const PAYER = Keypair.generate()
const OTHER = Keypair.generate().publicKey
const BLOCKHASH = Keypair.generate().publicKey.toBase58()

describe('a transaction over the wire', () => {
  test('is read as the library of Solana wrote it, in the oldest form', () => {
    const message = messageOf().compileToLegacyMessage()
    const transaction = good(signed(message))
    expect(transaction).toMatchObject({ version: 'legacy', requiredSignatures: 1, lookups: [] })
    const keys = transaction.keys.map((key) => new PublicKey(key).toBase58())
    expect(keys).toEqual(message.accountKeys.map(String))
    expect(transaction.keys.map((_, at) => isWritable(transaction, at))).toEqual(
      message.accountKeys.map((_, at) => message.isAccountWritable(at)),
    )
    expect(new PublicKey(transaction.recentBlockhash).toBase58()).toBe(BLOCKHASH)
    expect(transaction.instructions).toHaveLength(1)
    expect(transaction.message).toEqual(new Uint8Array(message.serialize()))
  })

  test('and with lookup tables', () => {
    const state = { addresses: [PAYER.publicKey, OTHER], deactivationSlot: 2n ** 64n - 1n }
    const facts = { lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
    const key = Keypair.generate().publicKey
    const table = new AddressLookupTableAccount({ key, state: { ...state, ...facts } })
    const transaction = good(signed(messageOf().compileToV0Message([table])))
    expect(transaction).toMatchObject({ version: 0 })
    expect(transaction.lookups).toEqual([
      { table: key.toBytes(), writable: Uint8Array.of(1), readonly: new Uint8Array() },
    ])
  })

  test('bytes behind it are not part of it', () => {
    const bytes = signed(messageOf().compileToLegacyMessage())
    expect(good(Buffer.concat([bytes, Buffer.alloc(9)])).bytes).toEqual(new Uint8Array(bytes))
  })

  test('cut off anywhere, it is refused in the words of a node', () => {
    const bytes = signed(messageOf().compileToV0Message())
    for (let length = 0; length < bytes.length; length++) {
      expect(readTransaction(bytes.subarray(0, length))).toBe(
        'failed to deserialize solana_transaction::versioned::VersionedTransaction: io error: failed to fill whole buffer',
      )
    }
  })

  test.each([
    ['fewer signatures than signers', (parts: Parts) => [[0], parts.message]],
    [
      'more signatures than signers',
      (parts: Parts) => [[2], parts.signature, parts.signature, parts.message],
    ],
    ['no signer', (parts: Parts) => [[0], changed(parts.message, 0, 0)]],
    [
      'signers that only read',
      (parts: Parts) => [[1], parts.signature, changed(parts.message, 1, 1)],
    ],
    [
      'more readers than accounts',
      (parts: Parts) => [[1], parts.signature, changed(parts.message, 2, 3)],
    ],
    [
      'a program that pays',
      (parts: Parts) => [[1], parts.signature, changed(parts.message, PROGRAM_AT, 0)],
    ],
    [
      'a program that is not there',
      (parts: Parts) => [[1], parts.signature, changed(parts.message, PROGRAM_AT, 3)],
    ],
    [
      'an account that is not there',
      (parts: Parts) => [[1], parts.signature, changed(parts.message, PROGRAM_AT + 2, 3)],
    ],
  ])('with %s, it is refused before the machine sees it', (_title, build) => {
    const message = messageOf().compileToLegacyMessage()
    const signature = signed(message).subarray(1, 65)
    const bytes = Buffer.concat(
      build({ signature, message: message.serialize() }).map((part) => Buffer.from(part)),
    )
    expect(readTransaction(bytes)).toContain('failed to sanitize')
  })

  test.each([
    ['a length of more than 16 bits', [0xff, 0xff, 0x04]],
    ['a length that does not end', [0xff, 0xff, 0xff]],
    ['a length spelled longer than needed', [0x80, 0x00]],
    ['a length of which nothing follows', [0xff, 0xff, 0x03]],
    ['another version', [0x00, 0x81]],
  ])('with %s, it is none', (_title, bytes) => {
    expect(readTransaction(Uint8Array.from(bytes))).toStartWith('failed to deserialize')
  })

  test('any byte changed to anything is read or refused, never thrown at', () => {
    const bytes = signed(messageOf().compileToV0Message())
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 2, 3, 127, 128, 129, 254, 255]) {
        const result = readTransaction(changed(bytes, at, value))
        expect(typeof result === 'string' || result.bytes.length <= bytes.length).toBe(true)
      }
    }
  })
})

/** Behind the header, three keys, the blockhash and the count of instructions. */
const PROGRAM_AT = 3 + 1 + 3 * 32 + 32 + 1

type Parts = { signature: Uint8Array; message: Uint8Array }

function messageOf(): TransactionMessage {
  const transfer = { fromPubkey: PAYER.publicKey, toPubkey: OTHER, lamports: 5 }
  return new TransactionMessage({
    payerKey: PAYER.publicKey,
    recentBlockhash: BLOCKHASH,
    instructions: [SystemProgram.transfer(transfer)],
  })
}

function signed(message: ConstructorParameters<typeof VersionedTransaction>[0]): Uint8Array {
  const transaction = new VersionedTransaction(message)
  transaction.sign([PAYER])
  return transaction.serialize()
}

function good(bytes: Uint8Array): WireTransaction {
  const transaction = readTransaction(bytes)
  if (typeof transaction === 'string') throw new Error(transaction)
  return transaction
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = value
  return copy
}
