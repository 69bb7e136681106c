import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  addressKey,
  joined,
  keyOf,
  randomBytes,
  u8,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import {
  extensionBytes,
  helpsWith,
  mintBytes,
  multisigBytes,
  tokenAccountBytes,
} from '../../../../tests/support/solana/token-bytes.ts'
import { encodeKey } from '../base58.ts'
import { type ParseHelps, readMintFacts } from './parse-helps.ts'
import { parseSplToken } from './spl-token.ts'

const U64_MAX = 2n ** 64n - 1n
const NATIVE_MINT = addressKey('So11111111111111111111111111111111111111112')
const IMMUTABLE_OWNER = extensionBytes(7)

const key = (byte: number) => encodeKey(keyOf(byte))

describe('a token account as JSON', () => {
  test('shows its members in the order of their names and leaves out what it has not', () => {
    expect(parsed(tokenAccountBytes({ amount: 42n }), helpsWith({ decimals: 2 }))).toBe(
      `{"info":{"isNative":false,"mint":"${key(1)}","owner":"${key(2)}","state":"initialized",` +
        '"tokenAmount":{"amount":"42","decimals":2,"uiAmount":0.42,"uiAmountString":"0.42"}},' +
        '"type":"account"}',
    )
  })

  test('shows everything it can have, with all digits', () => {
    const data = tokenAccountBytes(
      {
        amount: U64_MAX,
        delegate: keyOf(3),
        delegatedAmount: 1n,
        state: 2,
        rentExemptReserve: 2_039_280n,
        closeAuthority: keyOf(4),
      },
      IMMUTABLE_OWNER,
    )
    expect(parsed(data, helpsWith({ decimals: 0 }))).toBe(
      `{"info":{"closeAuthority":"${key(4)}","delegate":"${key(3)}",` +
        `"delegatedAmount":${amount('1', '1.0')},"extensions":[{"extension":"immutableOwner"}],` +
        `"isNative":true,"mint":"${key(1)}","owner":"${key(2)}",` +
        `"rentExemptReserve":${amount('2039280', '2039280.0')},"state":"frozen",` +
        `"tokenAmount":${amount('18446744073709551615', '1.8446744073709552e+19')}},` +
        '"type":"account"}',
    )
  })

  test('keeps a delegated amount to itself when there is no delegate', () => {
    const text = parsed(tokenAccountBytes({ delegatedAmount: 5n }), helpsWith({}))
    expect(text).not.toContain('delegate')
  })

  test('is not parsed when nobody knows its mint', () => {
    expect(parsed(tokenAccountBytes(), helpsWith(null))).toBeNull()
  })

  test('of wrapped SOL has nine decimals, whatever is known of its mint', () => {
    const data = tokenAccountBytes({ mint: NATIVE_MINT, amount: 1n })
    expect(parsed(data, helpsWith(null))).toContain('"decimals":9,"uiAmount":1e-9')
    expect(parsed(data, helpsWith({ decimals: 2 }))).toContain('"decimals":9')
  })

  test('asks for the mint that it names', () => {
    const asked: string[] = []
    const mint = (pubkey: Uint8Array) => {
      asked.push(encodeKey(pubkey))
      return readMintFacts(mintBytes({ decimals: 6 }))
    }
    const data = tokenAccountBytes({ mint: keyOf(77) })
    expect(parsed(data, { mint, unixTimestamp: 0n })).toContain('"decimals":6')
    expect(asked).toEqual([key(77)])
  })
})

describe('a mint as JSON', () => {
  test('names its authorities even when there is none', () => {
    expect(parsed(mintBytes({ supply: U64_MAX, decimals: 6 }))).toBe(
      '{"info":{"decimals":6,"freezeAuthority":null,"isInitialized":true,"mintAuthority":null,' +
        '"supply":"18446744073709551615"},"type":"mint"}',
    )
  })

  test('shows its authorities and extensions', () => {
    const data = mintBytes(
      { mintAuthority: keyOf(5), freezeAuthority: keyOf(6) },
      extensionBytes(9),
    )
    expect(parsed(data)).toBe(
      `{"info":{"decimals":0,"extensions":[{"extension":"nonTransferable"}],` +
        `"freezeAuthority":"${key(6)}","isInitialized":true,"mintAuthority":"${key(5)}",` +
        '"supply":"0"},"type":"mint"}',
    )
  })
})

describe('a multisig as JSON', () => {
  test('lists its signers without the empty places', () => {
    expect(parsed(multisigBytes(2, [keyOf(1), zeros(32), keyOf(3)]))).toBe(
      '{"info":{"isInitialized":true,"numRequiredSigners":2,"numValidSigners":3,' +
        `"signers":["${key(1)}","${key(3)}"]},"type":"multisig"}`,
    )
  })

  test('is all that data of its length can be', () => {
    const padding = extensionBytes(7, zeros(355 - 165 - 1 - 4))
    const account = tokenAccountBytes({ mint: keyOf(3) }, padding)
    expect(account).toHaveLength(355)
    expect(parsed(account)).toBeNull()
    expect(parsed(tokenAccountBytes({}, padding, u8(0)))).toContain('"type":"account"')
  })
})

describe('what a node does not parse', () => {
  test.each([
    ['no data', zeros(0)],
    ['an uninitialised account', tokenAccountBytes({ state: 0 })],
    ['an account of an unknown state', tokenAccountBytes({ state: 3 })],
    ['an account with a broken delegate tag', changed(tokenAccountBytes(), 72, 2)],
    ['an account with a broken native tag', changed(tokenAccountBytes(), 112, 1)],
    ['an account with a broken close authority tag', changed(tokenAccountBytes(), 130, 1)],
    ['an account that is marked as a mint', joined(tokenAccountBytes(), u8(1))],
    ['an account without a mark', joined(tokenAccountBytes(), u8(0))],
    ['an uninitialised mint', mintBytes({ isInitialized: 0 })],
    ['a mint that is neither initialised nor not', mintBytes({ isInitialized: 2 })],
    ['a mint with a broken authority tag', changed(mintBytes(), 0, 2)],
    ['a mint with a broken freeze authority tag', changed(mintBytes(), 47, 1)],
    ['a mint that is marked as an account', changed(mintBytes({}, IMMUTABLE_OWNER), 165, 2)],
    ['a mint with something before its extensions', changed(mintBytes({}, IMMUTABLE_OWNER), 90, 1)],
    ['a mint that ends where its mark should be', joined(mintBytes(), zeros(83))],
    ['an uninitialised multisig', zeros(355)],
    ['a multisig with a broken mark', changed(multisigBytes(1, [keyOf(1)]), 2, 2)],
  ])('%s', (_what, data) => {
    expect(parsed(data)).toBeNull()
  })

  test.each([
    ['an account', tokenAccountBytes()],
    ['a mint', mintBytes()],
    ['a multisig', multisigBytes(1, [keyOf(1)])],
  ])('%s that ends too early', (_what, whole) => {
    expect(parsed(whole)).not.toBeNull()
    for (let end = 0; end < whole.length; end++) {
      expect(parsed(whole.subarray(0, end))).toBeNull()
    }
  })
})

describe('bytes of any kind', () => {
  const chance = seededChance(20_261_115)

  test('never throw, and what comes out is JSON', () => {
    for (let length = 0; length < 700; length++) {
      expectJsonOrNull(randomBytes(chance, length))
      expectJsonOrNull(seeminglyToken(chance, length))
    }
  })

  test('in the place of extensions never cost the account itself', () => {
    for (let length = 0; length < 400; length++) {
      const noise = randomBytes(chance, length)
      // A number of kinds below 32 makes most of the heads believable.
      for (let at = 0; at < length; at += chance.between(2, 40)) noise[at] = chance.between(0, 31)
      if (length === 355 - 166) continue
      expect(parsed(tokenAccountBytes({}, noise))).toContain('"type":"account"')
      expect(parsed(mintBytes({}, noise))).toContain('"type":"mint"')
    }
  })
})

function parsed(data: Uint8Array, helps: ParseHelps = helpsWith({})): string | null {
  return parseSplToken(accountOf(data), helps)
}

function amount(digits: string, double: string): string {
  return `{"amount":"${digits}","decimals":0,"uiAmount":${double},"uiAmountString":"${digits}"}`
}

function changed(data: Uint8Array, at: number, byte: number): Uint8Array {
  return data.with(at, byte)
}

/** Noise that passes the first checks of an account or a mint more often than not. */
function seeminglyToken(chance: Chance, length: number): Uint8Array {
  const data = randomBytes(chance, length)
  const mark = chance.between(1, 2)
  for (const at of [0, 46, 72, 109, 129]) data.fill(0, at, at + 4)
  for (const at of [45, 108]) data.fill(1, at, at + 1)
  if (mark === 1) data.fill(0, 82, 165)
  data.fill(mark, 165, 166)
  return data
}

function expectJsonOrNull(data: Uint8Array): void {
  const facts = readMintFacts(data)
  expect(facts === null || facts.decimals <= 255).toBe(true)
  const text = parsed(data, { mint: () => facts ?? helpsWith({}).mint(data), unixTimestamp: 1n })
  if (text !== null) expect(JSON.parse(text)).toHaveProperty('info')
}
