import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { keyOf } from '../../../../tests/support/solana/account-bytes.ts'
import { recordsOf } from '../../../../tests/support/solana/scripted-ledger.ts'
import type { Account } from '../account.ts'
import { encodeKey } from '../base58.ts'
import { openAccountReader, readAccountData } from './node-account.ts'

const PROGRAM = keyOf(7)
const OWNER = encodeKey(PROGRAM)
const KEY = encodeKey(keyOf(1))
const U64_MAX = 2n ** 64n - 1n

const read = openAccountReader(PROGRAM)
const readText = (text: string) => read(new TextEncoder().encode(text))

const ACCOUNT: Account = {
  pubkey: keyOf(1),
  owner: PROGRAM,
  lamports: 9_007_199_254_740_993n,
  rentEpoch: U64_MAX,
  executable: true,
  data: Uint8Array.of(1, 2, 3, 4),
}

describe('a record that a node wrote', () => {
  test('is read with every digit', () => {
    expect(readText(recordsOf([ACCOUNT]))).toEqual({
      ...ACCOUNT,
      keyText: new TextEncoder().encode(KEY),
      space: 4,
    })
  })

  test('may have its members in any order, with white space and others between them', () => {
    const text = `{ "pubkey" : "${KEY}", "x": [1,{"y":"}"}],\n "account": {"space":4,
      "rentEpoch": 18446744073709551615 , "owner":"${OWNER}","lamports":9007199254740993,
      "executable":true, "more":null, "data" : [ "AQIDBA==" , "base64" ] } }`
    expect(readText(text)).toMatchObject({
      lamports: ACCOUNT.lamports,
      data: ACCOUNT.data,
      space: 4,
    })
  })

  test('may be escaped where JSON allows it', () => {
    const data = Uint8Array.of(255, 255, 255)
    const escaped = KEY.replace(/^./, (first) => `\\u00${first.charCodeAt(0).toString(16)}`)
    const text = recordsOf([{ ...ACCOUNT, data }])
      .replace('"////"', '"\\/\\/\\/\\/"')
      .replace(`"${KEY}"`, `"${escaped}"`)
      .replace(`"${OWNER}"`, `"\\u00${OWNER.charCodeAt(0).toString(16)}${OWNER.slice(1)}"`)
      .replace('"lamports"', '"l\\u0061mports"')
    expect(readText(text)).toMatchObject({ data, pubkey: keyOf(1), lamports: ACCOUNT.lamports })
    expect(Buffer.from(readText(text)?.keyText ?? []).toString()).toBe(KEY)
  })

  test('keeps none of the bytes it was read from', () => {
    const bytes = new TextEncoder().encode(recordsOf([ACCOUNT]))
    const account = read(bytes)
    bytes.fill(0)
    expect(Buffer.from(account?.keyText ?? []).toString()).toBe(KEY)
    expect(account?.data).toEqual(ACCOUNT.data)
  })

  test('may leave out what older and newer nodes do not say', () => {
    const text = recordsOf([ACCOUNT])
      .replace(/,"rentEpoch":\d+/, '')
      .replace(/,"space":\d+/, '')
    expect(readText(text)).toMatchObject({ rentEpoch: U64_MAX, space: null })
  })
})

describe('what is no such record', () => {
  const good = recordsOf([ACCOUNT])

  test.each([
    ['another owner', good.replace(OWNER, encodeKey(keyOf(8)))],
    ['no owner', good.replace(/"owner":"[^"]+",/, '')],
    ['an owner that is no text', good.replace(`"${OWNER}"`, '7')],
    ['no data', good.replace(/"data":\[[^\]]+\],/, '')],
    ['data in another encoding', good.replace('"base64"', '"base58"')],
    ['data as a bare text', good.replace(/\["([^"]*)","base64"\]/, '"$1"')],
    ['data of three parts', good.replace('"base64"]', '"base64",1]')],
    ['data that is no base64', good.replace('AQIDBA==', 'AQ*DBA==')],
    ['data that ends early', good.replace('AQIDBA==', 'AQIDBA')],
    ['a fraction of lamports', good.replace('9007199254740993', '1.5')],
    ['lamports as a text', good.replace('9007199254740993', '"1"')],
    ['negative lamports', good.replace('9007199254740993', '-1')],
    ['lamports of 65 bits', good.replace('9007199254740993', '18446744073709551616')],
    ['endless lamports', good.replace('9007199254740993', '9'.repeat(5_000))],
    ['a leading zero', good.replace('9007199254740993', '09')],
    ['no lamports', good.replace(/"lamports":\d+,/, '')],
    ['an executable that is neither', good.replace('true', '1')],
    ['a space beyond all data', good.replace('"space":4', '"space":18446744073709551615')],
    ['a member twice', good.replace('"lamports":', '"lamports":1,"lamports":')],
    ['two accounts', good.replace('"pubkey"', '"account":{},"pubkey"')],
    ['no pubkey', good.replace(/,"pubkey":"[^"]+"/, '')],
    ['a pubkey of 31 bytes', good.replace(`"${KEY}"`, `"${KEY.slice(2)}"`)],
    ['an account that is none', good.replace(/"account":\{.*\},"p/, '"account":[],"p')],
    ['something behind it', `${good}x`],
    ['nothing', ''],
    ['null', 'null'],
    ['an array', `[${good}]`],
  ])('%s is refused', (_title, text) => {
    expect(text).not.toBe(good)
    expect(readText(text)).toBeNull()
  })

  test('wherever it breaks off, it is refused', () => {
    for (let end = 0; end < good.length; end++) expect(readText(good.slice(0, end))).toBeNull()
  })

  test('with any byte changed, it is refused or read as something else, and never more', () => {
    const chance = seededChance(5)
    const bytes = new TextEncoder().encode(good)
    for (let times = 0; times < 5_000; times++) {
      const hurt = bytes.slice()
      hurt[chance.between(0, hurt.length - 1)] = chance.between(0, 255)
      const account = read(hurt)
      if (account === null) continue
      expect(account.pubkey).toHaveLength(32)
      expect(account.lamports <= U64_MAX && account.rentEpoch <= U64_MAX).toBe(true)
    }
  })
})

test('the data of an account without its key is read as well', () => {
  const text = '{"data":["AQID","base64"],"executable":false,"lamports":1,"owner":"x"}'
  expect(readAccountData(new TextEncoder().encode(text))).toEqual(Uint8Array.of(1, 2, 3))
  for (const bad of ['{}', '[]', '', '{"data":"AQID"}', text.slice(0, -1), `${text} 1`]) {
    expect(readAccountData(new TextEncoder().encode(bad))).toBeNull()
  }
})
