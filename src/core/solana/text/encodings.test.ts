import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  exactly,
  keyOf,
  randomBytes,
} from '../../../../tests/support/solana/account-bytes.ts'
import type { Account, AccountEncoding } from '../account.ts'
import { openRecordWriter, type RecordRules, zstdText } from './encodings.ts'

const U64_MAX = 18_446_744_073_709_551_615n
const TEXT = new TextEncoder().encode('test data')

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

/** What a client reads of these accounts. */
function written(accounts: readonly Account[], rules: Partial<RecordRules> = {}): string {
  const writer = openRecordWriter({ encoding: 'base64', dataSlice: null, ...rules })
  for (const account of accounts) expect(writer.write(account)).toBeNull()
  return textOf(writer.take())
}

const dataOf = (record: string) =>
  (JSON.parse(record) as { account: { data: unknown } }).account.data

/** The same record by way of objects, which keeps no order but its own. */
function expected(account: Account, data: unknown): unknown {
  return {
    account: {
      data,
      executable: account.executable,
      lamports: account.lamports,
      owner: base58.encode(account.owner),
      rentEpoch: account.rentEpoch,
      space: BigInt(account.data.length),
    },
    pubkey: base58.encode(account.pubkey),
  }
}

describe('a record', () => {
  test('is written as a node writes it, letter for letter', () => {
    const account = accountOf(TEXT, { lamports: 5_000_000n, rentEpoch: U64_MAX })
    expect(written([account])).toBe(
      '{"account":{"data":["dGVzdCBkYXRh","base64"],"executable":false,"lamports":5000000,' +
        `"owner":"${base58.encode(account.owner)}","rentEpoch":18446744073709551615,"space":9},` +
        `"pubkey":"${base58.encode(account.pubkey)}"}`,
    )
  })

  test.each([
    ['binary', '2Uw1bpnsXxu3e'],
    ['base58', ['2Uw1bpnsXxu3e', 'base58']],
    ['base64', ['dGVzdCBkYXRh', 'base64']],
    ['base64+zstd', ['KLUv/QBYSQAAdGVzdCBkYXRh', 'base64+zstd']],
    ['jsonParsed', ['dGVzdCBkYXRh', 'base64']],
  ] as [AccountEncoding, unknown][])('has its data in the form asked for: %s', (encoding, data) => {
    expect(dataOf(written([accountOf(TEXT)], { encoding }))).toEqual(data)
    expect(dataOf(written([accountOf(TEXT, { executable: true })], { encoding }))).toEqual(data)
  })

  test.each(['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as AccountEncoding[])(
    'of an account without data has an empty one: %s',
    (encoding) => {
      const data = dataOf(written([accountOf(new Uint8Array())], { encoding }))
      const text = encoding === 'base64+zstd' ? 'KLUv/QBYAQAA' : ''
      expect(Array.isArray(data) ? data[0] : data).toBe(text)
    },
  )

  test.each([
    0n,
    9n,
    10n,
    99n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n,
    U64_MAX - 1n,
    U64_MAX,
  ])('keeps every digit of %d', (value) => {
    const text = written([accountOf(TEXT, { lamports: value, rentEpoch: value })])
    expect(text).toContain(`"lamports":${value},`)
    expect(text).toContain(`"rentEpoch":${value},`)
  })

  test('keeps every digit around each power of ten', () => {
    for (let digits = 0; digits < 20; digits++) {
      for (const value of [10n ** BigInt(digits) - 1n, 10n ** BigInt(digits)]) {
        expect(written([accountOf(TEXT, { lamports: value })])).toContain(`"lamports":${value},`)
      }
    }
  })

  test('is right whatever the one before it was', () => {
    const chance = seededChance(64)
    const accounts = Array.from({ length: 500 }, () =>
      accountOf(randomBytes(chance, chance.pick([0, 0, 1, 82, 165, 165, 3_000])), {
        pubkey: randomBytes(chance, 32),
        owner: keyOf(chance.between(0, 2)),
        lamports: BigInt(chance.between(0, 2 ** 40)),
        rentEpoch: chance.pick([0n, 361n, U64_MAX]),
        executable: chance.fraction() < 0.5,
      }),
    )
    const records = exactly(`[${written(accounts)}]`)
    const wanted = accounts.map((account) =>
      expected(account, [Buffer.from(account.data).toString('base64'), 'base64']),
    )
    expect(records).toEqual(wanted)
  })

  test('may hold as much data as an account can', () => {
    const data = randomBytes(seededChance(65), 1024).slice()
    const large = new Uint8Array(10 * 1024 * 1024)
    for (let at = 0; at < large.length; at += data.length) large.set(data, at)
    const [text] = dataOf(written([accountOf(large)])) as [string]
    expect(Buffer.from(text, 'base64').equals(large)).toBe(true)
  })
})

describe('a slice of the data', () => {
  test.each([
    ['from the start', 0, 4, 'test'],
    ['in the middle', 5, 2, 'da'],
    ['up to the end', 5, 4, 'data'],
    ['beyond the end', 5, 400, 'data'],
    ['that starts at the end', 9, 1, ''],
    ['that starts beyond the end', 10, 1, ''],
    ['that starts far beyond the end', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ''],
    ['of all there may be', 0, Number.MAX_SAFE_INTEGER, 'test data'],
    ['of no length', 3, 0, ''],
  ])('is what there is of it, and the space stays whole: %s', (_title, offset, length, part) => {
    const dataSlice = { offset, length }
    for (const encoding of ['base64', 'jsonParsed'] as const) {
      const record = written([accountOf(TEXT)], { encoding, dataSlice })
      expect(dataOf(record)).toEqual([Buffer.from(part).toString('base64'), 'base64'])
      expect(record).toContain('"space":9')
    }
    const inBase58 = dataOf(written([accountOf(TEXT)], { encoding: 'base58', dataSlice }))
    expect(inBase58).toEqual([base58.encode(Buffer.from(part)), 'base58'])
  })
})

describe('base 58 of long data', () => {
  const LONG = new Uint8Array(129).fill(1)

  test.each(['binary', 'base58'] as const)('is refused in the words of a node: %s', (encoding) => {
    const writer = openRecordWriter({ encoding, dataSlice: null })
    expect(writer.write(accountOf(LONG))).toEqual({
      code: -32600,
      message:
        'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
      dataText: null,
    })
    expect(writer.count).toBe(0)
    expect(writer.bytes).toBe(0)
    expect(writer.take()).toHaveLength(0)
  })

  test('leaves what was written before as it was', () => {
    const writer = openRecordWriter({ encoding: 'base58', dataSlice: null })
    writer.write(accountOf(TEXT))
    expect(writer.write(accountOf(LONG))).not.toBeNull()
    expect(writer.count).toBe(1)
    expect(textOf(writer.take())).toBe(written([accountOf(TEXT)], { encoding: 'base58' }))
  })

  test('is written up to 128 bytes, of the slice and not of the whole', () => {
    const most = LONG.subarray(1)
    expect(dataOf(written([accountOf(most)], { encoding: 'binary' }))).toBe(base58.encode(most))
    const dataSlice = { offset: 1, length: 500 }
    expect(dataOf(written([accountOf(LONG)], { encoding: 'binary', dataSlice }))).toBe(
      base58.encode(most),
    )
  })
})

describe('jsonParsed', () => {
  const PARSED = '{"parsed":{"info":{"name":"Zürich 🏔"},"type":"x"},"program":"config","space":9}'

  test('has what the parser says, in any script', () => {
    const record = written([accountOf(TEXT)], { encoding: 'jsonParsed', parse: () => PARSED })
    expect(record).toStartWith(`{"account":{"data":${PARSED},"executable":false,"lamports":1,`)
    expect(dataOf(record)).toEqual(JSON.parse(PARSED))
  })

  test('has base64 for the accounts no parser fits, among others that one does', () => {
    const parse = (account: Account) => (account.executable ? null : PARSED)
    const accounts = [false, true, true, false].map((executable) => accountOf(TEXT, { executable }))
    const records = JSON.parse(`[${written(accounts, { encoding: 'jsonParsed', parse })}]`)
    const data = (records as { account: { data: unknown } }[]).map((record) => record.account.data)
    const pair = ['dGVzdCBkYXRh', 'base64']
    expect(data).toEqual([JSON.parse(PARSED), pair, pair, JSON.parse(PARSED)])
  })

  test('asks no parser in any other encoding', () => {
    const record = written([accountOf(TEXT)], { encoding: 'base64', parse: () => PARSED })
    expect(dataOf(record)).toEqual(['dGVzdCBkYXRh', 'base64'])
  })
})

describe('what is taken of the writer', () => {
  const accounts = Array.from({ length: 300 }, (_, at) => accountOf(new Uint8Array(at)))

  test('is the inside of one array, however it is taken', () => {
    const whole = written(accounts)
    for (const every of [1, 2, 7, 299]) {
      const writer = openRecordWriter({ encoding: 'base64', dataSlice: null })
      const taken: Uint8Array[] = []
      accounts.forEach((account, at) => {
        writer.write(account)
        if (at % every === 0) taken.push(writer.take())
      })
      taken.push(writer.take(), writer.take())
      // Joined at the end: what was taken first must not change with what is written later.
      expect(textOf(Buffer.concat(taken))).toBe(whole)
    }
  })

  test('is counted, taken or not', () => {
    const writer = openRecordWriter({ encoding: 'base64', dataSlice: null })
    writer.write(accountOf(TEXT))
    const first = writer.bytes
    expect(writer.waitingBytes).toBe(first)
    expect(writer.take()).toHaveLength(first)
    expect(writer.waitingBytes).toBe(0)
    writer.write(accountOf(TEXT))
    // The comma in front.
    expect(writer.waitingBytes).toBe(first + 1)
    expect(writer.bytes).toBe(2 * first + 1)
    expect(writer.count).toBe(2)
  })
})

describe('base64+zstd', () => {
  test("is the node's own text, which clients compare", () => {
    expect(zstdText(TEXT)).toBe('KLUv/QBYSQAAdGVzdCBkYXRh')
  })

  const chance = seededChance(66)
  const SIZES = [0, 1, 9, 165, 255, 256, 257, 65_535, 65_791, 65_792, 200_000]

  test.each(SIZES)('has the header of a stream and can be read again: %d bytes', (size) => {
    for (const data of [randomBytes(chance, size), new Uint8Array(size).fill(65)]) {
      const frame = Buffer.from(zstdText(data), 'base64')
      expect(frame.subarray(0, 6).toString('hex')).toBe('28b52ffd0058')
      expect(Buffer.from(Bun.zstdDecompressSync(frame)).equals(data)).toBe(true)
    }
  })

  test('can be read again where the data is longer than the window', () => {
    const large = new Uint8Array(10 * 1024 * 1024)
    for (let at = 0; at < large.length; at += 4) large[at] = (at >> 12) & 255
    const frame = Buffer.from(zstdText(large), 'base64')
    expect(frame.subarray(0, 6).toString('hex')).toBe('28b52ffd0058')
    expect(Buffer.from(Bun.zstdDecompressSync(frame)).equals(large)).toBe(true)
  })
})
