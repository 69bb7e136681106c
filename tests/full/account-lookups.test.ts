import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account, AccountFilter } from '../../src/core/solana/account.ts'
import { openAccountStore } from '../../src/embedded/account-store/account-store.ts'
import { lookupsOf } from '../../src/embedded/account-store/account-store-lookups.ts'
import { openAccountTables } from '../../src/embedded/account-store/account-store-tables.ts'
import { accountAt, pageAt, scan, shown } from '../conformance/account-store-conformance.ts'
import { recordsOf } from '../support/solana/scripted-ledger.ts'

test('an account store gets a look-up of its own for what callers compare in a large program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-account-lookups-'))
  const path = join(folder, 'accounts.sqlite')
  const store = await openAccountStore(path)
  const accounts = Array.from({ length: 50_000 }, (_, at) => numbered(at))
  await scan(store, 10, accounts)
  const bytes = new TextEncoder().encode('49999')
  const filters: AccountFilter[] = [{ kind: 'memcmp', offset: 0, bytes }]
  const found = recordsOf(accounts.slice(-1))
  for (let times = 0; times < 3; times++) expect(await shown(store, 10, { filters })).toBe(found)
  await store.maintainLookups()
  expect(await store.page({ ...pageAt(10), filters })).toMatchObject({ count: 1, more: false })
  expect(await shown(store, 10, { filters })).toBe(found)
  await store.close()
  const tables = openAccountTables(path)
  expect(lookupsOf(tables)).toEqual(['lookup_1_0_5'])
  tables.close()
  rmSync(folder, { recursive: true })
})

function numbered(number: number): Account {
  const pubkey = new Uint8Array(32)
  new DataView(pubkey.buffer).setUint32(0, number)
  return { ...accountAt(1, `${number}`), pubkey }
}
