import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  accountAt,
  change,
  PROGRAM,
  pageAt,
  scan,
  shown,
} from '../../../../tests/conformance/account-store-conformance.ts'
import { keyOf } from '../../../../tests/support/account-bytes.ts'
import { recordsOf } from '../../../../tests/support/scripted-ledger.ts'
import type { Account } from '../../../core/solana/account.ts'
import type { AccountStore, PageOrder, PageStep } from '../../../ports/account-store.ts'
import { openAccountStore, openAccountStoreHere } from '../account-store.ts'
import { TEXT_CACHE_RULES } from './text-cache.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'headgate-account-texts-'))

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** More than is read row by row in one step, so that one step shows that there was ready text. */
const COUNT = 3_000
const ACCOUNTS = Array.from({ length: COUNT }, (_, at) => numbered(at * 2, 'a'))

/** A store in which all accounts are there as ready text, read once. */
async function storeWithRuns(store: AccountStore): Promise<AccountStore> {
  await scan(store, 10, ACCOUNTS)
  expect(await page(store)).toMatchObject({ more: { lookedTo: expect.any(Uint8Array) } })
  expect(await shown(store, 10)).toBe(recordsOf(ACCOUNTS))
  await store.makeTexts()
  expect(await page(store)).toMatchObject({ count: COUNT, more: false })
  return store
}

describe('ready text', () => {
  test('is read in one step, by thread and here, and gives the same pages', async () => {
    for (const store of [
      await openAccountStore(join(FOLDER, 'a.sqlite')),
      openAccountStoreHere(),
    ]) {
      await storeWithRuns(store)
      expect(await shown(store, 10)).toBe(recordsOf(ACCOUNTS))
      expect(await shown(store, 10, { order: 'desc' })).toBe(recordsOf(ACCOUNTS.toReversed()))
      expect(await shown(store, 9)).toBe('')
      await store.close()
    }
  })

  test('is cut where a page ends, and goes on behind any key', async () => {
    const store = await storeWithRuns(openAccountStoreHere())
    for (const limit of [1, 311, 312, 313, 1_000, COUNT - 1, COUNT, COUNT + 1]) {
      let after: Uint8Array | null = null
      for (let first = 0; first < COUNT; first += limit) {
        const step: PageStep = await page(store, { limit, after })
        const part = ACCOUNTS.slice(first, first + limit)
        expect(step).toMatchObject({ count: part.length, more: first + limit < COUNT })
        expect(Buffer.from(step.bytes).toString() === recordsOf(part)).toBe(true)
        after = step.last
        if (limit === 1 && first > 700) break
      }
    }
    const between = numbered(2_001, '').pubkey
    expect(await shown(store, 10, { after: between })).toBe(recordsOf(ACCOUNTS.slice(1_001)))
    expect(await page(store, { limit: 0 })).toMatchObject({ count: 0, more: true })
    const last = ACCOUNTS.at(-1)?.pubkey as Uint8Array
    expect(await page(store, { after: last })).toMatchObject({ count: 0, more: false })
    await store.close()
  })

  test.each([
    ['an account is made between two others', numbered(2_001, 'n')],
    ['one is made before all', numbered(0, 'n', 1)],
    ['one is made behind all', numbered(COUNT * 2, 'n')],
    ['one is changed', numbered(2_000, 'changed')],
    ['one is closed', { ...numbered(2_000, ''), lamports: 0n }],
  ])('shows each slot as it was when %s', async (_what, account) => {
    const store = await storeWithRuns(openAccountStoreHere())
    await change(store, 12, account)
    const others = ACCOUNTS.filter(({ pubkey }) => Buffer.compare(pubkey, account.pubkey) !== 0)
    const later = [...others, ...(account.lamports === 0n ? [] : [account])].sort((a, b) =>
      Buffer.compare(a.pubkey, b.pubkey),
    )
    for (let times = 0; times < 2; times++) {
      expect((await shown(store, 11)) === recordsOf(ACCOUNTS)).toBe(true)
      expect((await shown(store, 12)) === recordsOf(later)).toBe(true)
      await store.makeTexts()
    }
    // A late word about the slot before, and all is as it was again behind it.
    await change(store, 11, { ...numbered(2_000, ''), lamports: 0n })
    await change(store, 13, ...ACCOUNTS.slice(1_000, 1_001))
    expect((await shown(store, 10)) === recordsOf(ACCOUNTS)).toBe(true)
    const at11 = ACCOUNTS.filter((_, at) => at !== 1_000)
    expect((await shown(store, 11)) === recordsOf(at11)).toBe(true)
    await store.close()
  })
})

describe('the file of ready text', () => {
  test('is gone with the process, and made again', async () => {
    const path = join(FOLDER, 'b.sqlite')
    const first = await storeWithRuns(await openAccountStore(path))
    expect(readdirSync(FOLDER)).toContain('b.sqlite-texts')
    await first.close()
    expect(readdirSync(FOLDER)).not.toContain('b.sqlite-texts')
    const again = await openAccountStore(path)
    expect((await page(again)).more).toMatchObject({ lookedTo: expect.any(Uint8Array) })
    await storeWithRuns(again)
    await again.close()
  })

  test('never takes more room than it may', async () => {
    const bytesMax = 400 * 1024
    const store = openAccountStoreHere(':memory:', { texts: { ...TEXT_CACHE_RULES, bytesMax } })
    await scan(store, 10, ACCOUNTS)
    await shown(store, 10)
    await store.makeTexts()
    // Some of it is ready, and the rest is read row by row.
    const { count } = await page(store)
    expect(count).toBeGreaterThan(1_250)
    expect(count).toBeLessThan(COUNT)
    expect((await shown(store, 10)) === recordsOf(ACCOUNTS)).toBe(true)
    await store.close()
  })

  test('forgets a program with its accounts, even if another takes its number', async () => {
    const store = await storeWithRuns(openAccountStoreHere())
    await store.keepOnly([])
    expect(await shown(store, 10)).toBe('')
    await change(store, 10, accountAt(1, 'a'))
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    await store.close()
  })
})

test('what changes soon after it was made ready is left alone for a while', async () => {
  const store = await storeWithRuns(openAccountStoreHere())
  const isReady = async (slot: number) => {
    await shown(store, slot)
    await store.makeTexts()
    return (await page(store, { slot })).more === false && (await steps(store, slot)) === 1
  }
  for (const account of ACCOUNTS) account.lamports = 7n
  await scan(store, 20, ACCOUNTS)
  expect(await isReady(20)).toBe(false)
  expect(await isReady(20 + TEXT_CACHE_RULES.restSlots - 1)).toBe(false)
  expect(await isReady(20 + TEXT_CACHE_RULES.restSlots)).toBe(true)
  await store.close()
})

async function steps(store: AccountStore, slot: number): Promise<number> {
  let count = 1
  for (let step = await page(store, { slot }); typeof step.more === 'object'; count++) {
    step = await page(store, { slot, after: step.more.lookedTo })
  }
  return count
}

async function page(store: AccountStore, asked: Partial<PageOrder> = {}): Promise<PageStep> {
  return (await store.page({ ...pageAt(10), program: PROGRAM, ...asked })) as PageStep
}

function numbered(number: number, text: string, before = 0): Account {
  const pubkey = keyOf(9)
  new DataView(pubkey.buffer).setUint32(0, number + 10 - before)
  return { ...accountAt(1, text), pubkey }
}
