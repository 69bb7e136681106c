import { describe, expect, test } from 'bun:test'
import { Transaction } from 'ethers'
import { fromRlp, type Hex, keccak256, serializeTransaction, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { transactionHash } from './transaction-hash.ts'

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const TO = `0x${'11'.repeat(20)}` as const
const FEES = { maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
const usual = { chainId: 1, nonce: 7, to: TO, value: 10n ** 18n, gas: 21_000n }

describe('the hash of a signed transaction, as viem and ethers have it', () => {
  const kinds = [
    ['legacy without a chain id', { ...usual, chainId: undefined, type: 'legacy', gasPrice: 9n }],
    ['legacy', { ...usual, type: 'legacy', gasPrice: 20_000_000_000n }],
    [
      'with an access list',
      { ...usual, type: 'eip2930', gasPrice: 9n, accessList: [{ address: TO, storageKeys: [] }] },
    ],
    ['with a fee market', { ...usual, type: 'eip1559', ...FEES }],
    [
      'that creates a contract',
      { ...usual, type: 'eip1559', ...FEES, to: undefined, data: '0x60' },
    ],
    [
      'with calldata longer than one length byte tells',
      { ...usual, type: 'eip1559', ...FEES, data: `0x${'ab'.repeat(70_000)}` },
    ],
  ] as const

  test.each(kinds)('%s', async (_title, fields) => {
    const raw = await account.signTransaction(
      fields as Parameters<typeof account.signTransaction>[0],
    )
    expect(transactionHash(raw)).toBe(keccak256(raw))
    expect(transactionHash(raw)).toBe(Transaction.from(raw).hash)
  })

  test('that sets code', async () => {
    const authorization = await account.signAuthorization({ address: TO, chainId: 1, nonce: 8 })
    const raw = await account.signTransaction({
      ...usual,
      type: 'eip7702',
      ...FEES,
      authorizationList: [authorization],
    })
    expect(transactionHash(raw)).toBe(keccak256(raw))
    expect(transactionHash(raw)).toBe(Transaction.from(raw).hash)
  })

  test('in capital letters is the same', async () => {
    const raw = await account.signTransaction({ ...usual, type: 'eip1559', ...FEES })
    expect(transactionHash(`0x${raw.slice(2).toUpperCase()}`)).toBe(keccak256(raw))
  })
})

describe('the hash of a transaction with blobs', () => {
  const blob: Hex = `0x${'07'.repeat(131_072)}`
  const commitment: Hex = `0x${'c0'.repeat(48)}`
  const proof: Hex = `0x${'b0'.repeat(48)}`
  const fields = {
    ...usual,
    type: 'eip4844' as const,
    ...FEES,
    maxFeePerBlobGas: 5n,
    blobVersionedHashes: [`0x01${'ee'.repeat(31)}` as const],
  }

  test('leaves them out: it is that of the transaction in its block', async () => {
    const inBlock = await account.signTransaction(fields)
    const signature = signatureOf(inBlock)
    const onTheWire = serializeTransaction(
      { ...fields, sidecars: [{ blob, commitment, proof }] },
      signature,
    )
    expect(onTheWire.length).toBeGreaterThan(inBlock.length + 2 * 131_072)
    expect(transactionHash(onTheWire)).toBe(keccak256(inBlock))
  })

  test('leaves them out in the form with cell proofs too', async () => {
    const inBlock = await account.signTransaction(fields)
    const payload = fromRlp(`0x${inBlock.slice(4)}`)
    const wrapped = toRlp([payload as Hex[], '0x01', [blob], [commitment], [proof, proof]] as never)
    expect(transactionHash(`0x03${wrapped.slice(2)}`)).toBe(keccak256(inBlock))
  })

  test('is found for calldata as long as a request may be', async () => {
    const inBlock = await account.signTransaction({
      ...fields,
      data: `0x${'ab'.repeat(1_200_000)}`,
    })
    const payload = fromRlp(`0x${inBlock.slice(4)}`)
    const wrapped = toRlp([payload as Hex[], [], [], []] as never)
    expect(transactionHash(`0x03${wrapped.slice(2)}`)).toBe(keccak256(inBlock))
  })

  test('is the same without any', async () => {
    const inBlock = await account.signTransaction(fields)
    expect(transactionHash(inBlock)).toBe(keccak256(inBlock))
  })
})

describe('what is no signed transaction has no hash', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['an object', {}],
    ['empty text', ''],
    ['no bytes', '0x'],
    ['half a byte', '0x123'],
    ['no prefix', 'f86c'],
    ['other letters', '0xzz'],
    ['a blob transaction that ends after its type', '0x03'],
    ['a blob transaction that is no list', '0x0380'],
  ])('%s', (_title, raw) => {
    expect(transactionHash(raw)).toBeNull()
  })

  test.each([
    ['a list that claims more than is there', '0x03f8ff'],
    ['a list with a length of eight bytes', '0x03ffffffffffffffffff'],
    ['a list in a list that claims more', '0x03c2f9ffff'],
  ])('or one nobody knows, but it never throws: %s', (_title, raw) => {
    expect(() => transactionHash(raw)).not.toThrow()
  })
})

function signatureOf(raw: Hex) {
  const { signature } = Transaction.from(raw)
  if (!signature) throw new Error('not signed')
  return { r: signature.r as Hex, s: signature.s as Hex, yParity: signature.yParity }
}
