import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  accountAt,
  accountStoreConformance,
  change,
  PROGRAM,
  pageAt,
  shown,
} from '../../../tests/conformance/account-store-conformance.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { openAccountStoreHere } from '../../../tests/support/solana/open-account-store-here.ts'
import { recordsOf } from '../../../tests/support/solana/scripted-ledger.ts'
import { openAccountStore, openAccountStores } from './account-store.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'headgate-account-store-'))

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

let files = 0
const newFile = () => join(FOLDER, `${++files}.sqlite`)

accountStoreConformance('in this thread', async () => openAccountStoreHere())
accountStoreConformance('in a thread of its own', () => openAccountStore(newFile()))

test('a program that is not stored has an empty page, however often it is asked for', async () => {
  const store = await openAccountStore(newFile())
  for (let time = 0; time < 3; time++) {
    expect(await store.page(pageAt(1))).toMatchObject({ count: 0, more: false })
  }
  await store.close()
})

describe('the file of a store', () => {
  test('has the name of its network, and is read again after a restart', async () => {
    const stores = openAccountStores(FOLDER)
    const first = await stores.open('solana-mainnet')
    await change(first, 10, accountAt(1, 'a'))
    await first.close()
    expect(readdirSync(FOLDER)).toContain('accounts-solana-mainnet.sqlite')
    expect(readdirSync(FOLDER).filter((name) => name.includes('spool'))).toEqual([])

    const again = await stores.open('solana-mainnet')
    expect(await shown(again, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    await again.close()
  })

  test('begins anew where it cannot be read: all it holds can be had again', async () => {
    const path = newFile()
    writeFileSync(path, 'this is no file of SQLite, and long enough for that to show. '.repeat(100))
    const store = await openAccountStore(path)
    expect(await shown(store, 10)).toBe('')
    await change(store, 10, accountAt(1, 'a'))
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    await store.close()
  })

  test('begins anew where an earlier version wrote it, and leaves nothing of that', async () => {
    const path = newFile()
    const earlier = new Database(path, { create: true })
    earlier.run('CREATE TABLE runs (id INTEGER PRIMARY KEY, place INTEGER)')
    earlier.run('CREATE TABLE runs_gone (times INTEGER)')
    earlier.run('CREATE TABLE accounts (pubkey BLOB, text TEXT)')
    earlier.run("INSERT INTO accounts VALUES (x'01', 'in another form')")
    earlier.run('PRAGMA user_version = 3')
    earlier.close()
    writeFileSync(`${path}-runs`, 'texts of a process that was killed')

    const store = await openAccountStore(path)
    expect(await shown(store, 10)).toBe('')
    await change(store, 10, accountAt(1, 'a'))
    expect(await shown(store, 10)).toBe(recordsOf([accountAt(1, 'a')]))
    await store.close()
    expect(existsSync(`${path}-runs`)).toBe(false)
    const file = new Database(path)
    const tables = file.query("SELECT name FROM sqlite_master WHERE name LIKE 'run%'").all()
    expect(tables).toEqual([])
    file.close()
  })

  test('says so where its folder is not there', async () => {
    const failure = await failureOf(openAccountStore(join(FOLDER, 'nowhere', 'x.sqlite')))
    expect(failure).toMatchObject({ code: 'database_unavailable' })
  })

  test('refuses orders once it is closed', async () => {
    const store = await openAccountStore(newFile())
    await store.close()
    await store.close()
    expect(await failureOf(store.begin(PROGRAM, 1))).toMatchObject({ code: 'database_unavailable' })
  })
})
