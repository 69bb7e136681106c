import { expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { Failure } from '../../core/errors.ts'
import { compareKeys } from '../../core/solana/compare-keys.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openRecordLog } from './record-log.ts'

const budget = { take: () => true, give: () => {} }
const nowhere = { create: () => Promise.reject(new Error('no disk')), clear: async () => {} }

function openLog() {
  return openRecordLog(systemClock(), { spill: nowhere, budget })
}

function randomKeys(count: number, seed: number, spread = 255): Uint8Array[] {
  const chance = seededChance(seed)
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length: 32 }, () => chance.between(0, spread)),
  )
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

test.each([
  ['random', 255],
  ['nearly equal', 1],
])('%s keys are put in order, and each keeps its record', async (_title, spread) => {
  const log = openLog()
  const keys = randomKeys(5000, 1, spread)
  for (const key of keys) log.add(Buffer.from(`{"${key.toHex()}"}`), key)
  log.end()
  expect(await log.sort()).toBe(true)
  const rows = await log.rows(0, 5000)
  expect(rows.map(({ key }) => key.toHex())).toEqual(
    keys.toSorted(compareKeys).map((key) => key.toHex()),
  )
  for (const { key, start, length } of rows.slice(0, 50)) {
    expect(textOf(await log.read(start, start + length))).toBe(`{"${key.toHex()}"}`)
  }
})

test('two records of one key are not put in order', async () => {
  const log = openLog()
  const keys = randomKeys(100, 2)
  for (const key of [...keys, keys[50] as Uint8Array]) log.add(Buffer.from('{}'), key)
  expect(await log.sort()).toBe(false)
})

test('a key is found where it is, or where it would be', async () => {
  const log = openLog()
  const keys = randomKeys(1000, 3).sort(compareKeys)
  for (const key of keys) log.add(Buffer.from('{}'), key)
  expect(await log.find(keys[0] as Uint8Array)).toBe(0)
  expect(await log.find(keys[617] as Uint8Array)).toBe(617)
  expect(await log.find(new Uint8Array(32))).toBe(0)
  expect(await log.find(new Uint8Array(32).fill(255))).toBe(1000)
})

test('whoever waits for more hears of it, of the end, and of what broke', async () => {
  const log = openLog()
  let heard = 0
  const waiting = log.grown(0).then(() => {
    heard = log.count
  })
  log.add(Buffer.from('{}'), new Uint8Array(32))
  log.announce()
  await waiting
  expect(heard).toBe(1)

  const end = log.grown(1)
  log.end()
  await end
  expect(log.state).toBe('whole')

  const broken = openRecordLog(testClock(), { spill: nowhere, budget })
  const lost = broken.grown(0).catch((thrown: unknown) => thrown)
  broken.end(new Failure('upstream_answered_badly'))
  expect(await lost).toBeInstanceOf(Failure)
})
