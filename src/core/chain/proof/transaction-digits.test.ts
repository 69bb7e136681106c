import { expect, test } from 'bun:test'
import { type Hex, keccak256, parseTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { RawObject } from '../block.ts'
import { recoverSender } from './prove-transactions.ts'
import { UnreadableMember } from './raw-members.ts'
import { transactionDigits } from './transaction-digits.ts'

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const TO = `0x${'11'.repeat(20)}` as const
const KEY = `0x${'07'.repeat(32)}` as const
const BLOB = `0x01${'0b'.repeat(31)}` as const
const FEES = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }

const common = { nonce: 7, to: TO, value: 10n ** 18n, gas: 21_000n, data: '0x00ff' } as const
const accessList = [{ address: TO, storageKeys: [KEY, KEY] }]
const authorization = await account.signAuthorization({ address: TO, chainId: 1, nonce: 8 })

const TRANSACTIONS: [string, TransactionSerializable][] = [
  ['a legacy one', { ...common, type: 'legacy', gasPrice: 3n }],
  ['a legacy one of a chain', { ...common, type: 'legacy', gasPrice: 3n, chainId: 1 }],
  ['one of a high chain', { ...common, type: 'legacy', gasPrice: 3n, chainId: 11_155_111 }],
  ['one with an access list', { ...common, type: 'eip2930', gasPrice: 3n, chainId: 1, accessList }],
  ['one with fees', { ...common, ...FEES, type: 'eip1559', chainId: 1 }],
  ['a creation', { ...common, ...FEES, to: null, type: 'eip1559', chainId: 1 }],
  ['one without anything', { type: 'eip1559', chainId: 1, gas: 0n, ...FEES }],
  [
    'one with blobs',
    {
      ...common,
      ...FEES,
      type: 'eip4844',
      chainId: 1,
      maxFeePerBlobGas: 5n,
      blobVersionedHashes: [BLOB, BLOB],
    },
  ],
  [
    'one with authorizations',
    { ...common, ...FEES, type: 'eip7702', chainId: 1, authorizationList: [authorization] },
  ],
]

test.each(TRANSACTIONS)(
  '%s is encoded as others encode it, and its sender found',
  async (_, one) => {
    const signed = await account.signTransaction(one)
    const raw = rawOf(signed)
    const digits = transactionDigits(raw)
    expect(`0x${digits?.bytes}`).toBe(signed)
    const sender = recoverSender(digits?.signed ?? '', digits?.parity ?? 0, `${raw.r}`, `${raw.s}`)
    expect(sender).toBe(account.address.toLowerCase())
  },
)

test('a member that the type does not have is refused, as no root covers it', async () => {
  const raw = rawOf(await account.signTransaction(TRANSACTIONS[0]?.[1] as never))
  expect(transactionDigits({ ...raw, maxFeePerGas: null, accessList: [] })).not.toBeNull()
  for (const foreign of [{ maxFeePerGas: '0x1' }, { accessList: [{}] }, { yParity: '0x5' }]) {
    expect(() => transactionDigits({ ...raw, ...foreign })).toThrow(UnreadableMember)
  }
})

test('an unknown type has no form, and hostile members are named', async () => {
  expect(transactionDigits({ type: '0x7e' })).toBeNull()
  expect(transactionDigits({ type: `0x${'f'.repeat(60)}` })).toBeNull()
  const raw = rawOf(await account.signTransaction(TRANSACTIONS[4]?.[1] as never))
  const hostile: [string, unknown][] = [
    ['nonce', {}],
    ['value', `0x${'1'.repeat(65)}`],
    ['to', '0x1'],
    ['input', '0xabc'],
    ['accessList', [null]],
    ['accessList', 7],
    ['v', '0x2'],
    ['chainId', 'x'],
  ]
  for (const [member, value] of hostile) {
    expect(() => transactionDigits({ ...raw, [member]: value })).toThrow(UnreadableMember)
  }
})

test('a signature that is none has no sender', () => {
  expect(recoverSender('00', 0, `0x${'f'.repeat(64)}`, '0x1')).toBeNull()
  expect(recoverSender('00', 0, '0x0', '0x0')).toBeNull()
  expect(recoverSender('00', 0, 'what', '0x1')).toBeNull()
})

/** A signed transaction as a node would show it. */
function rawOf(signed: Hex): RawObject {
  const { data, gas, ...parsed } = parseTransaction(signed) as Record<string, unknown>
  const types = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']
  const shown = quantities({ value: 0, nonce: 0, ...parsed, gas: gas ?? 0 })
  return {
    ...(shown as object),
    hash: keccak256(signed),
    to: parsed.to ?? null,
    input: data ?? '0x',
    type: `0x${types.indexOf(String(parsed.type))}`,
    // The library has a v of its own making for these.
    ...(parsed.type === 'legacy' ? {} : { accessList: parsed.accessList ?? [], v: undefined }),
  }
}

/** Numbers as nodes write them, at any depth. */
function quantities(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return `0x${value.toString(16)}`
  if (Array.isArray(value)) return value.map(quantities)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, quantities(one)]))
}
