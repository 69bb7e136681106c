import { expect, test } from 'bun:test'
import {
  accountAt,
  PROGRAM,
  pageAt,
} from '../../../../tests/conformance/account-store-conformance.ts'
import { recordsOf } from '../../../../tests/support/scripted-ledger.ts'
import type { PageStep } from '../../../ports/account-store.ts'
import { FIRST, LAST } from '../account-store-file.ts'
import { openAccountReader } from '../account-store-reader.ts'
import { openAccountTables } from '../account-store-tables.ts'
import { openAccountWriter } from '../account-store-writer.ts'

/** So many that its text is too long for what every writer begins with. */
const ORDER = { ...pageAt(10), limit: 200 }

const ACCOUNTS = [1, 2, 3].map((number) => accountAt(number, 'abc'))

/** A file whose accounts are all in one cached, and a reader. */
function openWithRun() {
  const tables = openAccountTables(':memory:')
  const writer = openAccountWriter(tables)
  const encoder = new TextEncoder()
  const changes = ACCOUNTS.map((account) => encoder.encode(recordsOf([account])))
  writer.apply(changes.map((record) => ({ program: PROGRAM, slot: 10, record })))
  const hotRange = { program: 1, slot: 10, after: FIRST, upTo: LAST }
  expect(writer.makeTexts(hotRange)).toEqual(LAST)
  const page = () => openAccountReader(tables).page(ORDER) as PageStep
  return { tables, writer, page }
}

test('a page is read from rows where the text was written over meanwhile', () => {
  const { tables, writer, page } = openWithRun()
  const { read } = tables.texts
  tables.texts.read = (...where) => {
    // The cached is gone, and another text stands in its place.
    writer.begin(PROGRAM, 10)
    tables.texts.write(0, new Uint8Array(2_000).fill(120))
    read(...where)
  }
  expect(Buffer.from(page().bytes).toString()).toBe(recordsOf(ACCOUNTS))
  writer.close()
})
