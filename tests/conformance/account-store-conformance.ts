import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Account } from '../../src/core/solana/account.ts'
import { isSolanaError } from '../../src/core/solana/solana-error.ts'
import type { AccountStore, PageOrder } from '../../src/ports/account-store.ts'
import { keyOf } from '../support/solana/account-bytes.ts'
import { recordsOf } from '../support/solana/scripted-ledger.ts'

export const PROGRAM = keyOf(7)
const OTHER = keyOf(8)

const U64_MAX = 2n ** 64n - 1n

let store: AccountStore

/** What every store of accounts must do, in whatever thread it lives. */
export function accountStoreConformance(kind: string, open: () => Promise<AccountStore>): void {
  describe(`${kind}: a store of accounts`, () => {
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    describe('told of changes', changesExam)
    describe('told of all', scansExam)
    describe('told of half', brokenScansExam)
    describe('that lives on', lifeExam)
  })
}

function changesExam(): void {
  test('shows each account as it was at the end of a slot', async () => {
    await change(store, 10, accountAt(1, 'a'))
    await change(store, 12, accountAt(1, 'b'))
    expect(await shown(store, 9)).toBe('')
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    expect(await shown(store, 11)).toBe(recordsOf([accountAt(1, 'a')]))
    expect(await shown(store, 12)).toBe(recordsOf([accountAt(1, 'b')]))
    expect(await shown(store, 1e15)).toBe(recordsOf([accountAt(1, 'b')]))
  })

  test('keeps every digit of the largest numbers', async () => {
    const account = { ...accountAt(1, 'a'), lamports: U64_MAX, rentEpoch: U64_MAX - 1n }
    await change(store, 10, account)
    expect(await shown(store, 10)).toContain('"lamports":18446744073709551615,')
    expect(await shown(store, 10)).toContain('"rentEpoch":18446744073709551614,')
    const rest = { ...account, lamports: 2n ** 63n, executable: true }
    await change(store, 11, rest)
    expect(await shown(store, 11)).toBe(recordsOf([rest]))
  })

  test('takes the later one of two changes in a slot', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(1, 'b'))
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'b')]))
  })

  test('has no account of which a node says that it holds nothing', async () => {
    await change(store, 10, accountAt(1, 'a'))
    await change(store, 11, { ...accountAt(1, 'a'), lamports: 0n })
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    expect(await shown(store, 11)).toBe('')
    await change(store, 12, accountAt(1, 'c'))
    expect(await shown(store, 12)).toBe(recordsOf([accountAt(1, 'c')]))
  })

  test('refuses what is no record of the program', async () => {
    const others = recordsOf([{ ...accountAt(1, 'a'), owner: OTHER }])
    for (const text of ['', '{}', 'null', others, recordsOf([accountAt(1, 'a')]).slice(0, -1)]) {
      const record = new TextEncoder().encode(text)
      expect(await store.apply([{ program: PROGRAM, slot: 10, record }])).toEqual({ refused: 1 })
    }
    expect(await shown(store, 10)).toBe('')
  })
}

function scansExam(): void {
  test('is made what a scan has seen, and keeps what was before', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'a'), accountAt(3, 'a'))
    const seen = [accountAt(2, 'b'), accountAt(3, 'a'), accountAt(4, 'b')]
    expect(await scan(store, 20, seen)).toEqual({ differing: 2, closed: 1 })
    expect(await shown(store, 19)).toBe(
      recordsOf([accountAt(1, 'a'), accountAt(2, 'a'), accountAt(3, 'a')]),
    )
    expect(await shown(store, 20)).toBe(recordsOf(seen))
  })

  test('merges a scan behind changes that were heard while it ran', async () => {
    await change(store, 21, accountAt(1, 'c'), { ...accountAt(2, 'c'), lamports: 0n })
    await scan(store, 20, [accountAt(1, 'b'), accountAt(2, 'b')])
    expect(await shown(store, 20)).toBe(recordsOf([accountAt(1, 'b'), accountAt(2, 'b')]))
    expect(await shown(store, 21)).toContain(recordsOf([accountAt(1, 'c')]))
  })

  test('a change back to what was known before a scan is not lost to it', async () => {
    await change(store, 10, accountAt(1, 'a'))
    await change(store, 21, accountAt(1, 'a'))
    await scan(store, 20, [accountAt(1, 'b')])
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    expect(await shown(store, 20)).toBe(recordsOf([accountAt(1, 'b')]))
    expect(await shown(store, 21)).toBe(recordsOf([accountAt(1, 'a')]))
  })

  test('finds closed accounts by keys alone, and says when it was told of too little', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'a'))
    const keys = { hasData: false }
    expect(await scan(store, 20, [accountAt(2, 'a')], keys)).toEqual({ differing: 0, closed: 1 })
    expect(await shown(store, 20)).toBe(recordsOf([accountAt(2, 'a')]))
    const richer = { ...accountAt(2, 'a'), lamports: 9n }
    expect(await scan(store, 21, [richer], keys)).toEqual({ differing: 1, closed: 0 })
    const longer = { ...accountAt(2, 'a'), data: new Uint8Array(50) }
    expect(await scan(store, 22, [longer], keys)).toEqual({ differing: 1, closed: 0 })
    const more = [accountAt(2, 'a'), accountAt(3, 'a')]
    expect(await scan(store, 23, more, keys)).toEqual({ differing: 1, closed: 0 })
    expect(await shown(store, 23)).toBe(recordsOf([accountAt(2, 'a')]))
  })
}

function brokenScansExam(): void {
  test.each([
    ['breaks off', '{"context":{"slot":20},"value":[', 'no_answer'],
    ['says no slot', '{"context":{},"value":[]}', 'no_slot'],
    ['has no context', '[]', 'no_slot'],
    ['says an impossible slot', '{"context":{"slot":18446744073709551615},"value":[]}', 'no_slot'],
    ['is something else', '{"context":{"slot":20},"value":7}', 'garbage'],
    ['holds back the rest', '{"context":{"slot":20},"value":[],"pageKey":"x"}', 'cut_into_pages'],
    [
      'has an account twice',
      `{"context":{"slot":20},"value":[${recordsOf([accountAt(1, 'a'), accountAt(1, 'a')])}]}`,
      'repeated_account',
    ],
    [
      'has an account of another program',
      `{"context":{"slot":20},"value":[${recordsOf([{ ...accountAt(1, 'a'), owner: OTHER }])}]}`,
      'garbage',
    ],
  ])('a scan that %s leaves nothing behind', async (_title, text, reason) => {
    await change(store, 10, accountAt(9, 'z'))
    expect(await scanText(store, text)).toEqual({ kind: 'unusable', reason })
    expect(await shown(store, 30)).toBe(recordsOf([accountAt(9, 'z')]))
  })
}

function lifeExam(): void {
  test('forgets what ended before a slot, and nothing that is still shown', async () => {
    for (let slot = 10; slot < 15; slot++) await change(store, slot, accountAt(1, `${slot}`))
    expect(await store.prune(PROGRAM, 12)).toBe(true)
    expect(await shown(store, 11)).toBe('')
    expect(await shown(store, 12)).toBe(recordsOf([accountAt(1, '12')]))
    expect(await shown(store, 14)).toBe(recordsOf([accountAt(1, '14')]))
  })

  test('begins anew on what was so last, without what seems to be yet to come', async () => {
    await change(store, 10, accountAt(1, 'a'), accountAt(2, 'a'))
    await change(store, 12, accountAt(1, 'b'))
    await change(store, 90, accountAt(3, 'a'))
    await store.begin(PROGRAM, 50)
    expect(await shown(store, 11)).toBe(recordsOf([accountAt(2, 'a')]))
    expect(await shown(store, 95)).toBe(recordsOf([accountAt(1, 'b'), accountAt(2, 'a')]))
  })

  test('keeps programs apart, and forgets those that nobody wants any more', async () => {
    await change(store, 10, accountAt(1, 'a'))
    const record = new TextEncoder().encode(recordsOf([{ ...accountAt(1, 'o'), owner: OTHER }]))
    await store.apply([{ program: OTHER, slot: 10, record }])
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    await store.keepOnly([PROGRAM])
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    expect(await shown(store, 10, { program: OTHER })).toBe('')
  })
}

export function accountAt(number: number, text: string): Account {
  const data = new TextEncoder().encode(text)
  const [lamports, rentEpoch] = [2_039_280n, U64_MAX]
  return { pubkey: keyOf(number), owner: PROGRAM, lamports, rentEpoch, executable: false, data }
}

export async function change(
  store: AccountStore,
  slot: number,
  ...accounts: readonly Account[]
): Promise<void> {
  const changes = accounts.map((account) => ({
    program: PROGRAM,
    slot,
    record: new TextEncoder().encode(recordsOf([account])),
  }))
  expect(await store.apply(changes)).toEqual({ refused: 0 })
}

export async function scan(
  store: AccountStore,
  slot: number,
  accounts: readonly Account[],
  { hasData = true } = {},
): Promise<{ differing: number; closed: number }> {
  const records = recordsOf(accounts, hasData ? null : { offset: 0, length: 0 })
  const end = await scanText(store, `{"context":{"slot":${slot}},"value":[${records}]}`, hasData)
  expect(end).toEqual({ kind: 'whole', slot, count: accounts.length })
  let after: Uint8Array | null = null
  const sum = { differing: 0, closed: 0 }
  do {
    const step = await store.merge(slot, after)
    sum.differing += step.differing
    sum.closed += step.closed
    after = step.after
  } while (after !== null)
  return sum
}

async function scanText(store: AccountStore, text: string, hasData = true) {
  await store.startScan({ program: PROGRAM, hasData })
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += 1_000) {
    if (!(await store.addToScan(bytes.slice(at, at + 1_000)))) break
  }
  return store.endScan()
}

/** The records of all steps of one page. */
export async function shown(
  store: AccountStore,
  slot: number,
  asked: Partial<PageOrder> = {},
): Promise<string> {
  const texts: string[] = []
  let after = asked.after ?? null
  for (;;) {
    const step = await store.page({ ...pageAt(slot), ...asked, after })
    if (isSolanaError(step)) throw new Error(step.message)
    texts.push(...step.pieces.map((piece) => Buffer.from(piece).toString()))
    if (typeof step.more === 'boolean') return texts.join()
    after = step.more.lookedTo
  }
}

export function pageAt(slot: number): PageOrder {
  return {
    program: PROGRAM,
    slot,
    after: null,
    order: 'asc',
    limit: 1e9,
    bytesMax: 1e12,
    hasRecords: false,
    filters: [],
    changedSinceSlot: null,
    encoding: 'base64',
    dataSlice: null,
    stepBytesMax: Number.POSITIVE_INFINITY,
    mints: [],
    unixTimestamp: 0n,
  }
}
