import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  accountAt,
  change,
  PROGRAM,
  pageAt,
  shown,
} from '../../../tests/conformance/account-store-conformance.ts'
import { openAccountStoreHere } from '../../../tests/support/solana/open-account-store-here.ts'
import { recordsOf } from '../../../tests/support/solana/scripted-ledger.ts'
import type { AccountFilter } from '../../core/solana/account.ts'
import {
  type AccountLookups,
  dropLookup,
  lookupsOf,
  makeLookup,
  openAccountLookups,
} from './account-store-lookups.ts'
import { type AccountTables, openAccountTables } from './account-store-tables.ts'

const RULES = { accountsMin: 3, usesMin: 2 }

let folder: string
let path: string
let tables: AccountTables
let lookups: AccountLookups

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-lookups-'))
  path = join(folder, 'x.sqlite')
  const store = openAccountStoreHere(path)
  const texts = ['same-a', 'same-b', 'else-a', 'sam']
  await change(store, 10, ...texts.map((text, at) => accountAt(at + 1, text)))
  await store.close()
  reopen()
})

afterEach(() => {
  tables.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a look-up', () => {
  test('is made once callers have asked for its place often enough', () => {
    expect(ask('same')).toBeNull()
    maintainLookups()
    expect(ask('else')).toBeNull()
    maintainLookups()
    expect(ask('same')).toMatchObject({ name: 'lookup_1_0_4' })
  })

  test('is not made for a program so small that looking through it is as quick', async () => {
    tables.run('DELETE FROM accounts WHERE pubkey <> ?', accountAt(1, '').pubkey)
    for (let times = 0; times < 5; times++) ask('same')
    maintainLookups()
    expect(ask('same')).toBeNull()
  })

  test('is not made for needles that are found nearly everywhere, or nowhere', () => {
    for (let times = 0; times < 5; times++) {
      ask('a')
      ask('same', Number.MAX_SAFE_INTEGER)
      lookups.find(1, [{ kind: 'dataSize', bytes: 6 }, { kind: 'tokenAccountState' }])
      maintainLookups()
    }
    expect(made()).toEqual([])
  })

  test('is still there after a restart', () => {
    for (let times = 0; times < 2; times++) ask('same')
    maintainLookups()
    tables.close()
    reopen()
    expect(ask('same')).not.toBeNull()
  })

  test('gives way to one that is asked for more, and there are only so many', () => {
    for (let offset = 0; offset < 8; offset++) {
      for (let times = 0; times < 4; times++) ask('same', offset)
      maintainLookups()
    }
    expect(made()).toHaveLength(8)
    for (let times = 0; times < 50; times++) ask('same', 20)
    maintainLookups()
    expect(made()).toHaveLength(8)
    expect(ask('same', 20)).not.toBeNull()
  })

  test('of two, the longer needle is looked up', () => {
    for (let times = 0; times < 3; times++) {
      ask('same')
      ask('same-a')
      maintainLookups()
    }
    expect(lookups.find(1, [memcmp('same'), memcmp('same-a')])?.name).toBe('lookup_1_0_6')
  })

  test('goes with its program', () => {
    for (let times = 0; times < 2; times++) ask('same')
    maintainLookups()
    lookups.forget([2])
    expect(ask('same')).not.toBeNull()
    lookups.forget([1])
    expect(ask('same')).toBeNull()
  })

  test('however many places callers name, few are remembered', () => {
    for (let offset = 0; offset < 10_000; offset++) ask('same', offset)
    for (let times = 0; times < 3; times++) ask('same-a', 3)
    maintainLookups()
    expect(made()).toEqual(['lookup_1_3_6'])
  })
})

test('pages are the same with a look-up and without, in both orders and at every slot', async () => {
  tables.close()
  const store = openAccountStoreHere(path, RULES)
  const filters = [memcmp('same')]
  const pages = async () => {
    const texts: string[] = []
    for (const slot of [9, 10, 11, 12]) {
      for (const order of ['asc', 'desc'] as const) {
        texts.push(await shown(store, slot, { filters, order }))
      }
    }
    return texts
  }
  await change(store, 11, accountAt(1, 'else-c'), accountAt(3, 'same-c'))
  await change(store, 12, accountAt(4, 'same-d'))
  const before = await pages()
  await store.maintainLookups()
  await change(store, 13, accountAt(4, 'else-d'))
  expect(await pages()).toEqual(before)
  expect(before[2]).toBe(recordsOf([accountAt(1, 'same-a'), accountAt(2, 'same-b')]))
  const next = { ...pageAt(12), filters, after: accountAt(2, '').pubkey, limit: 1 }
  expect(await store.page(next)).toMatchObject({
    count: 1,
    more: true,
    last: accountAt(3, '').pubkey,
  })
  await store.close()
  reopen()
  expect(made()).toEqual(['lookup_1_0_4'])
})

function reopen(): void {
  tables = openAccountTables(path)
  tables.programId(PROGRAM)
  lookups = openAccountLookups(tables, RULES)
}

function memcmp(text: string, offset = 0): AccountFilter {
  return { kind: 'memcmp', offset, bytes: new TextEncoder().encode(text) }
}

function maintainLookups(): void {
  const nextChange = lookups.nextChange()
  if (nextChange === null) return
  if (nextChange.drop !== null) {
    lookups.noteDropped(nextChange.drop)
    dropLookup(tables, nextChange.drop)
  }
  makeLookup(tables, nextChange.make)
  lookups.noteMade(nextChange.make)
}

function ask(text: string, offset = 0) {
  return lookups.find(1, [memcmp(text, offset)])
}

function made(): string[] {
  return lookupsOf(tables).toSorted()
}
