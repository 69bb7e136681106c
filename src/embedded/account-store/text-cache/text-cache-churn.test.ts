import { describe, expect, test } from 'bun:test'
import { pageAt } from '../../../../tests/conformance/account-store-conformance.ts'
import { recordsOf } from '../../../../tests/support/scripted-ledger.ts'
import { type Chance, seededChance } from '../../../../tests/support/seeded-chance.ts'
import type { Account } from '../../../core/solana/account.ts'
import { isSolanaError } from '../../../core/solana/solana-error.ts'
import type { PageOrder, PageStep } from '../../../ports/account-store.ts'
import { readPage } from '../account-store-pages.ts'
import { type AccountReader, openAccountReader } from '../account-store-reader.ts'
import { type AccountTables, openAccountTables } from '../account-store-tables.ts'
import { type AccountWriter, openAccountWriter } from '../account-store-writer.ts'

/** HEADGATE_RUN_SEEDS=100 texts a hundred. */
const SEEDS = Array.from({ length: Number(process.env.HEADGATE_RUN_SEEDS ?? 6) }, (_, at) => at + 1)

const PROGRAMS = [7, 8].map((byte) => new Uint8Array(32).fill(byte))
const STEPS = 250
const KEYS = 60
/** So short that there are many of them, next to each other. */
const RULES = { textBytes: 900, hotBytesMin: 0, bytesMax: 40_000, volatileSlots: 3, restSlots: 6 }

type Stage = {
  chance: Chance
  tables: AccountTables
  writer: AccountWriter
  reader: AccountReader
  slot: number
  /** Nothing is asked of what was before it. */
  oldest: number
  /** How often ready text was read. */
  copies: number
}

describe('pages with texts', () => {
  test.each(SEEDS)('are those that are read row by row, at every slot: seed %d', (seed) => {
    const stage = openStage(seed)
    for (let step = 0; step < STEPS; step++) {
      live(stage)
      for (let times = 0; times < 6; times++) compareAt(stage, anyOrder(stage))
      expectSound(stage)
    }
    for (let slot = stage.oldest; slot <= stage.slot + 1; slot++) {
      for (const program of PROGRAMS) compareAt(stage, { ...pageAt(slot), program })
    }
    expect(stage.copies).toBeGreaterThan(STEPS)
    stage.writer.close()
  })
})

function openStage(seed: number): Stage {
  const tables = openAccountTables(':memory:', RULES)
  const stage: Stage = {
    chance: seededChance(seed),
    tables,
    writer: openAccountWriter(tables),
    reader: openAccountReader(tables, { texts: RULES }),
    slot: 100,
    oldest: 100,
    copies: 0,
  }
  const { read } = tables.texts
  tables.texts.read = (...where) => {
    stage.copies++
    read(...where)
  }
  return stage
}

/** One thing that happens to a store. */
function live(stage: Stage): void {
  const { chance, writer, reader } = stage
  const program = chance.pick(PROGRAMS)
  const now = chance.fraction()
  if (now < 0.35) makeTexts(stage)
  else if (now < 0.75) change(stage, program)
  else if (now < 0.87) scan(stage, program)
  else if (now < 0.95) {
    stage.oldest = chance.between(stage.oldest, stage.slot)
    for (const one of PROGRAMS) while (!writer.prune(one, stage.oldest));
  } else if (now < 0.98) {
    const slot = chance.between(stage.slot - 2, stage.slot + 2)
    writer.begin(program, slot)
  } else {
    // Its number is another's from then on, whichever is written about first.
    reader.forget(writer.keepOnly([chance.pick(PROGRAMS)]))
  }
}

/** What was read a moment ago is made ready, or only some of it. */
function makeTexts({ chance, writer, reader }: Stage): void {
  for (const hotRange of reader.hotRanges()) {
    let after: Uint8Array | null = hotRange.after
    for (let steps = chance.between(1, 9); steps > 0 && after !== null; steps--) {
      after = writer.makeTexts({ ...hotRange, after })
    }
  }
}

/** Mostly of the newest slot; at times a word about an earlier one comes late. */
function change(stage: Stage, program: Uint8Array): void {
  const { chance, writer } = stage
  stage.slot += chance.between(0, 1)
  const slot = chance.fraction() < 0.2 ? stage.slot - chance.between(1, 6) : stage.slot
  const changes = Array.from({ length: chance.between(1, 3) }, () => {
    const account = anyAccount(chance, program, chance.between(1, KEYS))
    const closes = chance.fraction() < 0.3
    const record = recordsOf([closes ? { ...account, lamports: 0n } : account])
    return { program, slot, record: new TextEncoder().encode(record) }
  })
  expect(writer.apply(changes)).toEqual({ refused: 0 })
}

function scan(stage: Stage, program: Uint8Array): void {
  const { chance, writer } = stage
  const slot = stage.slot - chance.between(0, 3)
  const share = chance.fraction()
  const accounts = Array.from({ length: KEYS }, (_, at) => anyAccount(chance, program, at + 1))
  const seen = accounts.filter(() => chance.fraction() < share)
  const hasData = chance.fraction() < 0.7
  const records = recordsOf(seen, hasData ? null : { offset: 0, length: 0 })
  writer.startScan({ program, hasData })
  const text = `{"context":{"slot":${slot}},"value":[${records}]}`
  writer.addToScan(new TextEncoder().encode(text))
  expect(writer.endScan()).toMatchObject({ kind: 'whole' })
  for (let after = writer.merge(slot, null).after; after !== null; ) {
    after = writer.merge(slot, after).after
  }
}

/** Few values, so that they come back. */
function anyAccount(chance: Chance, owner: Uint8Array, number: number): Account {
  const pubkey = new Uint8Array(32).fill(number * 4)
  const data = new Uint8Array(chance.pick([0, 1, 2, 300])).fill(chance.between(1, 2))
  return { pubkey, owner, lamports: 5n, rentEpoch: 0n, executable: false, data }
}

function anyOrder({ chance, slot, oldest }: Stage): PageOrder {
  const isCut = chance.fraction() < 0.5
  return {
    ...pageAt(chance.between(oldest, slot + 1)),
    program: chance.pick(PROGRAMS),
    // Keys of accounts, and such as no account has.
    after: chance.fraction() < 0.3 ? null : new Uint8Array(32).fill(chance.between(0, 255)),
    order: chance.fraction() < 0.1 ? 'desc' : 'asc',
    limit: isCut ? chance.between(0, 20) : 1e9,
    bytesMax: chance.fraction() < 0.2 ? chance.between(1, 9_000) : 1e12,
    hasRecords: chance.fraction() < 0.5,
  }
}

function compareAt(stage: Stage, order: PageOrder): void {
  const { tables, reader } = stage
  const [row] = tables.rows<{ id: bigint; bytes: bigint }>(
    'SELECT id, body_bytes_max AS bytes FROM programs WHERE pubkey = ?',
    order.program,
  )
  const stored = { id: Number(row?.id ?? 0), bodyBytesMax: Number(row?.bytes ?? 0) }
  const plain = pageOf((one) => readPage(tables, stored, one, null), order)
  expect(pageOf(reader.page, order)).toEqual(plain)
}

/** All steps of a page. */
function pageOf(read: (order: PageOrder) => PageStep | { code: number }, order: PageOrder) {
  const texts: string[] = []
  const page = { text: '', count: 0, last: null as Uint8Array | null, more: false }
  let bytes = 0
  for (let after = order.after; ; ) {
    const rest = { limit: order.limit - page.count, bytesMax: order.bytesMax - bytes }
    const hasRecords = order.hasRecords || page.count > 0
    const step = read({ ...order, ...rest, after, hasRecords })
    if (isSolanaError(step as PageStep)) throw new Error('it is refused')
    const { bytes: part, count, last, more } = step as PageStep
    if (count > 0) texts.push(Buffer.from(part).toString())
    bytes += part.length
    page.count += count
    page.last = last ?? page.last
    if (typeof more === 'boolean') return { ...page, text: texts.join(), more }
    after = more.lookedTo
  }
}

/** No two texts of a slot reach into each other, and all have their place for themselves. */
function expectSound({ tables }: Stage): void {
  const [keys] = tables.rows<{ pairs: bigint }>(
    `SELECT count(*) AS pairs FROM texts a JOIN texts b ON a.id < b.id AND a.program = b.program
       AND a.after_key < b.upto_key AND b.after_key < a.upto_key
       AND a.slot_to = b.slot_to AND a.slot_to > 1e15`,
  )
  const [places] = tables.rows<{ pairs: bigint }>(
    `SELECT count(*) AS pairs FROM texts a JOIN texts b ON a.id < b.id
       AND a.place < b.place + b.text_bytes + 4 * b.records
       AND b.place < a.place + a.text_bytes + 4 * a.records`,
  )
  expect([keys?.pairs, places?.pairs]).toEqual([0n, 0n])
}
