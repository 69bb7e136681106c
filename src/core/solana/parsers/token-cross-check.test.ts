import { describe, expect, test } from 'bun:test'
import { isOption, type Option, unwrapOption } from '@solana/kit'
import * as oldProgram from '@solana-program/token'
import {
  type Extension,
  type ExtensionArgs,
  getMintCodec,
  getTokenCodec,
} from '@solana-program/token-2022'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  addressKey,
  exactly,
  keyOf,
} from '../../../../tests/support/solana/account-bytes.ts'
import {
  accountExtensions,
  mintExtensions,
  randomAddress,
  randomU64,
} from '../../../../tests/support/solana/random-extensions.ts'
import { helpsWith } from '../../../../tests/support/solana/token-bytes.ts'
import { parseSplToken } from './spl-token.ts'

const ROUNDS = 40
const STATES = ['uninitialized', 'initialized', 'frozen']

/** Where the other library and the node use different words. */
const NODE_NAMES: Record<string, string> = {
  ConfidentialTransferFee: 'confidentialTransferFeeConfig',
  PermissionedBurn: 'permissionedBurnConfig',
  'ConfidentialTransferFee.elgamalPubkey': 'withdrawWithheldAuthorityElgamalPubkey',
  'ConfidentialTransferAccount.pendingBalanceLow': 'pendingBalanceLo',
  'ConfidentialTransferAccount.pendingBalanceHigh': 'pendingBalanceHi',
  'DefaultAccountState.state': 'accountState',
}

describe('another library and we read the same', () => {
  test('token accounts with any extensions', () => {
    const chance = seededChance(1)
    for (let round = 0; round < ROUNDS; round++) {
      const base = randomAccount(chance)
      const extensions = someOf(chance, accountExtensions(chance))
      const data = Uint8Array.from(getTokenCodec().encode({ ...base, extensions }))
      const other = getTokenCodec().decode(data)
      expect(read(data)).toEqual({ info: accountInfo(other), type: 'account' })
    }
  })

  test('mints with any extensions', () => {
    const chance = seededChance(2)
    for (let round = 0; round < ROUNDS; round++) {
      const extensions = someOf(chance, mintExtensions(chance))
      const data = Uint8Array.from(getMintCodec().encode({ ...randomMint(chance), extensions }))
      const other = getMintCodec().decode(data)
      expect(read(data)).toEqual({ info: mintInfo(other), type: 'mint' })
    }
  })

  test('token accounts and mints of the old program', () => {
    const chance = seededChance(3)
    for (let round = 0; round < ROUNDS; round++) {
      const account = Uint8Array.from(oldProgram.getTokenCodec().encode(randomAccount(chance)))
      const otherAccount = { ...oldProgram.getTokenCodec().decode(account), extensions: null }
      expect(read(account)).toEqual({ info: accountInfo(otherAccount), type: 'account' })

      const mint = Uint8Array.from(oldProgram.getMintCodec().encode(randomMint(chance)))
      const otherMint = { ...oldProgram.getMintCodec().decode(mint), extensions: null }
      expect(read(mint)).toEqual({ info: mintInfo(otherMint), type: 'mint' })
    }
  })

  test('multisigs', () => {
    const chance = seededChance(4)
    const signers = Array.from({ length: 11 }, () => randomAddress(chance))
    const multisig = { m: 7, n: 11, isInitialized: true, signers }
    const data = Uint8Array.from(oldProgram.getMultisigCodec().encode(multisig))
    expect(read(data)).toEqual({
      info: { isInitialized: true, numRequiredSigners: 7n, numValidSigners: 11n, signers },
      type: 'multisig',
    })
  })
})

type OtherAccount = {
  mint: string
  owner: string
  amount: bigint
  delegate: Option<string>
  state: number
  isNative: Option<bigint>
  delegatedAmount: bigint
  closeAuthority: Option<string>
  extensions: Option<Extension[]> | null
}

type OtherMint = {
  mintAuthority: Option<string>
  supply: bigint
  decimals: number
  isInitialized: boolean
  freezeAuthority: Option<string>
  extensions: Option<Extension[]> | null
}

function read(data: Uint8Array): unknown {
  return exactly(parseSplToken(accountOf(data, { owner: keyOf(1) }), helpsWith({ decimals: 6 })))
}

function randomAccount(chance: Chance) {
  return {
    mint: randomAddress(chance),
    owner: randomAddress(chance),
    amount: randomU64(chance),
    delegate: chance.pick([null, randomAddress(chance)]),
    state: chance.between(1, 2),
    isNative: chance.pick([null, randomU64(chance)]),
    delegatedAmount: randomU64(chance),
    closeAuthority: chance.pick([null, randomAddress(chance)]),
  }
}

function randomMint(chance: Chance) {
  return {
    mintAuthority: chance.pick([null, randomAddress(chance)]),
    supply: randomU64(chance),
    decimals: chance.between(0, 255),
    isInitialized: true,
    freezeAuthority: chance.pick([null, randomAddress(chance)]),
  }
}

function someOf(chance: Chance, all: ExtensionArgs[]): ExtensionArgs[] {
  const some = all.filter(() => chance.between(0, 2) > 0)
  return some.length > 0 ? some : all
}

function accountInfo(other: OtherAccount): Record<string, unknown> {
  const delegate = unwrapOption(other.delegate)
  const reserve = unwrapOption(other.isNative)
  const closeAuthority = unwrapOption(other.closeAuthority)
  return {
    ...(closeAuthority === null ? {} : { closeAuthority }),
    ...(delegate === null ? {} : { delegate, delegatedAmount: amountOf(other.delegatedAmount) }),
    ...extensionsOf(other.extensions),
    isNative: reserve !== null,
    mint: other.mint,
    owner: other.owner,
    ...(reserve === null ? {} : { rentExemptReserve: amountOf(reserve) }),
    state: STATES[other.state],
    tokenAmount: amountOf(other.amount),
  }
}

function mintInfo(other: OtherMint): Record<string, unknown> {
  return {
    decimals: BigInt(other.decimals),
    ...extensionsOf(other.extensions),
    freezeAuthority: unwrapOption(other.freezeAuthority),
    isInitialized: other.isInitialized,
    mintAuthority: unwrapOption(other.mintAuthority),
    supply: `${other.supply}`,
  }
}

function amountOf(amount: bigint): unknown {
  return {
    amount: `${amount}`,
    decimals: 6n,
    uiAmount: Number(amount) / 1e6,
    uiAmountString: expect.any(String),
  }
}

function extensionsOf(option: Option<Extension[]> | null): { extensions?: unknown[] } {
  const extensions = option && unwrapOption(option)
  return extensions ? { extensions: extensions.map(inNodeWords) } : {}
}

function inNodeWords({ __kind: kind, ...fields }: Extension): unknown {
  const extension = NODE_NAMES[kind] ?? kind.charAt(0).toLowerCase() + kind.slice(1)
  const members = Object.entries(fields).map(([name, value]) => [
    NODE_NAMES[`${kind}.${name}`] ?? name,
    inNodeValue(`${kind}.${name}`, value),
  ])
  return members.length === 0 ? { extension } : { extension, state: Object.fromEntries(members) }
}

function inNodeValue(field: string, value: unknown): unknown {
  if (isOption(value)) return inNodeValue(field, unwrapOption(value))
  if (value === null) return null
  if (field === 'DefaultAccountState.state') return STATES[Number(value)]
  if (field.toLowerCase().endsWith('multiplier')) return `${value}`
  if (field.endsWith('lgamalPubkey')) return addressKey(String(value)).toBase64()
  if (value instanceof Uint8Array) return value.toBase64()
  if (value instanceof Map) return [...value]
  if (typeof value === 'number') return BigInt(value)
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, inNodeValue('', one)]),
  )
}
