import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  accountAt,
  change,
  PROGRAM,
  pageAt,
  scan,
  shown,
} from '../../../tests/conformance/account-store-conformance.ts'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import { openAccountStoreHere } from '../../../tests/support/solana/open-account-store-here.ts'
import { recordsOf } from '../../../tests/support/solana/scripted-ledger.ts'
import { mintBytes, tokenAccountBytes } from '../../../tests/support/solana/token-bytes.ts'
import type { Account, AccountEncoding, AccountFilter } from '../../core/solana/account.ts'
import { PROGRAM_KEYS } from '../../core/solana/programs.ts'
import { openRecordWriter } from '../../core/solana/text/encodings.ts'
import type { AccountStore, PageOrder, PageStep } from '../../ports/account-store.ts'

let store: AccountStore

beforeEach(() => {
  store = openAccountStoreHere()
})

afterEach(() => store.close())

describe('a page', () => {
  test('holds as many as were asked for, says where it ended, and whether more follow', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'), accountAt(3, 'c'))
    const first = await page({ limit: 2 })
    expect(first).toMatchObject({ count: 2, last: keyOf(2), more: true })
    expect(await page({ limit: 2, after: keyOf(2) })).toMatchObject({ count: 1, more: false })
    expect(await page({ limit: 3 })).toMatchObject({ count: 3, last: keyOf(3), more: false })
    expect(await page({ after: keyOf(3) })).toMatchObject({ count: 0, last: null, more: false })
  })

  test('of no records only says whether there is one', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'))
    expect(await page({ limit: 0, after: keyOf(1) })).toMatchObject({ count: 0, more: true })
    expect(await page({ limit: 0, after: keyOf(2) })).toMatchObject({ count: 0, more: false })
  })

  test('runs backwards in the other order', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'), accountAt(255, 'c'))
    const order = 'desc'
    expect(await page({ order, limit: 1 })).toMatchObject({ last: keyOf(255), more: true })
    expect(await page({ order, after: keyOf(2) })).toMatchObject({ last: keyOf(1), more: false })
  })

  test('ends before it takes more room than it may, but is never without a record', async () => {
    const big = (number: number) => ({ ...accountAt(number, ''), data: new Uint8Array(30_000) })
    await change(store, 10, big(1), big(2), big(3))
    const one = recordsOf([big(1)]).length
    expect(await page({ bytesMax: one * 2 + 200 })).toMatchObject({ count: 2, more: true })
    expect(await page({ bytesMax: 1 })).toMatchObject({ count: 1, more: true })
    expect(await page({ bytesMax: 1, hasRecords: true })).toMatchObject({ count: 0, more: true })
  })

  test('holds those accounts alone that fulfil every filter', async () => {
    await change(store, 10, accountAt(1, 'ab'), accountAt(2, 'ac'), accountAt(3, 'abc'))
    const starts: AccountFilter = { kind: 'memcmp', offset: 0, bytes: Uint8Array.of(97, 98) }
    const size: AccountFilter = { kind: 'dataSize', bytes: 3 }
    expect(await shown(store, 10, { filters: [starts] })).toBe(
      recordsOf([accountAt(1, 'ab'), accountAt(3, 'abc')]),
    )
    expect(await shown(store, 10, { filters: [starts, size] })).toBe(
      recordsOf([accountAt(3, 'abc')]),
    )
    expect(await page({ filters: [starts], limit: 1, after: keyOf(1) })).toMatchObject({
      count: 1,
      more: false,
    })
  })

  test('holds what changed after a slot, where that is asked for', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'))
    await change(store, 12, accountAt(2, 'c'))
    const since = (changedSinceSlot: number, slot = 12) => shown(store, slot, { changedSinceSlot })
    expect(await since(9)).toBe(recordsOf([accountAt(1, 'a'), accountAt(2, 'c')]))
    expect(await since(10)).toBe(recordsOf([accountAt(2, 'c')]))
    expect(await since(12)).toBe('')
    expect(await since(9, 10)).toBe(recordsOf([accountAt(1, 'a'), accountAt(2, 'b')]))
  })

  test.each(['binary', 'base58', 'base64', 'base64+zstd'] as const)(
    'is written in %s',
    async (encoding) => {
      const accounts = [accountAt(1, 'abcd'), accountAt(2, '')]
      await change(store, 10, ...accounts)
      const dataSlice = { offset: 1, length: 2 }
      const writer = openRecordWriter({ encoding, dataSlice })
      for (const account of accounts) writer.write(account)
      const text = await shown(store, 10, { encoding, dataSlice })
      expect(text).toBe(Buffer.from(writer.take()).toString())
    },
  )

  test('is refused where base 58 cannot hold the data, as a node refuses it', async () => {
    await change(store, 10, { ...accountAt(1, ''), data: new Uint8Array(129) })
    expect(await page({ encoding: 'base58' })).toMatchObject({ code: -32600 })
    const dataSlice = { offset: 0, length: 128 }
    expect(await page({ encoding: 'base58', dataSlice })).toMatchObject({ count: 1 })
  })
})

describe('a page that takes long', () => {
  test('is read in steps, and is the same in the end', async () => {
    const accounts = Array.from({ length: 6_000 }, (_, at) => numbered(at))
    await scan(store, 10, accounts)
    const first = await page({ stepBytesMax: 500_000 })
    expect(first.more).toMatchObject({ lookedTo: expect.any(Uint8Array) })
    expect(await shown(store, 10)).toBe(recordsOf(accounts))
    const filters: AccountFilter[] = [{ kind: 'dataSize', bytes: 0 }]
    expect(await page({ filters })).toMatchObject({
      count: 0,
      more: { lookedTo: expect.anything() },
    })
    expect(await shown(store, 10, { filters })).toBe('')
  })

  test('stops early at large accounts', async () => {
    const large = (number: number) => ({
      ...accountAt(number, ''),
      data: new Uint8Array(3_000_000),
    })
    await change(store, 10, large(1), large(2), large(3))
    expect(await page({})).toMatchObject({ count: 2, more: { lookedTo: keyOf(2) } })
    expect(await shown(store, 10)).toBe(recordsOf([large(1), large(2), large(3)]))
  })
})

describe('jsonParsed', () => {
  const program = PROGRAM_KEYS.splToken
  const encoding: AccountEncoding = 'jsonParsed'
  const owned = (number: number, data: Uint8Array): Account => ({
    ...accountAt(number, ''),
    owner: program,
    data,
  })

  test('knows the decimals of a mint as they were at that slot', async () => {
    const mint = (decimals: number) => owned(1, mintBytes({ decimals }))
    const token = owned(2, tokenAccountBytes({ mint: keyOf(1), amount: 1_234n }))
    await changeOf(program, 10, mint(2), token)
    await changeOf(program, 11, mint(3))
    expect(await shown(store, 10, { program, encoding })).toContain('"uiAmountString":"12.34"')
    expect(await shown(store, 11, { program, encoding })).toContain('"uiAmountString":"1.234"')
  })

  test('leaves out token accounts that cannot be parsed, and no others', async () => {
    const orphan = owned(3, tokenAccountBytes({ mint: keyOf(99) }))
    await changeOf(program, 10, owned(1, mintBytes()), owned(2, new Uint8Array(7)), orphan)
    const records = JSON.parse(`[${await shown(store, 10, { program, encoding })}]`)
    expect(records).toHaveLength(1)
    expect(records[0].account.data.parsed.type).toBe('mint')
    expect(JSON.parse(`[${await shown(store, 10, { program })}]`)).toHaveLength(3)

    await change(store, 10, accountAt(1, 'ab'))
    expect(await shown(store, 10, { encoding })).toBe(recordsOf([accountAt(1, 'ab')]))
  })
})

function numbered(number: number): Account {
  const pubkey = new Uint8Array(32)
  new DataView(pubkey.buffer).setUint32(0, number)
  return { ...accountAt(1, `${number}`), pubkey }
}

async function page(asked: Partial<PageOrder>): Promise<PageStep> {
  return (await store.page({ ...pageAt(10), program: PROGRAM, ...asked })) as PageStep
}

async function changeOf(program: Uint8Array, slot: number, ...accounts: Account[]): Promise<void> {
  const encoder = new TextEncoder()
  const records = accounts.map((account) => encoder.encode(recordsOf([account])))
  await store.apply(records.map((record) => ({ program, slot, record })))
}

describe('stored texts', () => {
  test.each(['asc', 'desc'] as const)(
    'a walk %s past a long account shows all of them',
    async (order) => {
      const long = { ...accountAt(3, ''), data: new Uint8Array(10_000) }
      const accounts = [accountAt(1, 'a'), accountAt(2, 'b'), long, accountAt(4, 'd')]
      await change(store, 10, ...accounts)
      const wanted = order === 'asc' ? accounts : accounts.toReversed()
      for (const limit of [1, 2, 3, 10]) {
        expect(await shown(store, 10, { order, limit })).toBe(recordsOf(wanted.slice(0, limit)))
      }
    },
  )

  test.each(['asc', 'desc'] as const)('a page of several pieces shows all, %s', async (order) => {
    const accounts = Array.from({ length: 2_600 }, (_, at) => numbered(at))
    await change(store, 10, ...accounts)
    const wanted = order === 'asc' ? accounts : accounts.toReversed()
    for (const limit of [1_250, 1_251, 2_500, 2_599, 2_600, 5_000]) {
      expect(await shown(store, 10, { order, limit })).toBe(recordsOf(wanted.slice(0, limit)))
      expect(await page({ order, limit })).toMatchObject({ more: limit < 2_600 })
    }
  })

  test('a full page says whether others follow', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'))
    expect(await page({ limit: 1 })).toMatchObject({ count: 1, last: keyOf(1), more: true })
    expect(await page({ limit: 2 })).toMatchObject({ count: 2, last: keyOf(2), more: false })
    expect(await page({ limit: 3 })).toMatchObject({ count: 2, more: false })
  })

  test('a page ends before the record that would make it too long', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'b'), accountAt(3, 'c'))
    expect(await page({ bytesMax: 700 })).toMatchObject({ count: 2, more: true })
  })
})
