import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { eventAt, insertTeams, NETWORK } from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { recordEvent } from './chain-events.ts'
import { beginAnew } from './chain-tail.ts'
import { canonicalSince, followedTips } from './followed-tips.ts'

const FIRST = 1_000_000_000_001

let db: Database
let sequence: number | null
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  sequence = null
})
afterEach(() => db.close())

async function move(number: number, kind: 'first' | 'extends' | 'forks', fork = '') {
  const moved = await recordEvent(db, eventAt(number, sequence, { kind, fork, atMs: number }))
  if (moved === 'lost') throw new Error('nobody else moves this chain')
  sequence = moved.sequenceNumber
}

const since = async (event: number, limit = 100) =>
  (await canonicalSince(db, NETWORK, event, limit)).map(({ number, hash, sequenceNumber }) => {
    return `${number} ${hash} ${sequenceNumber - FIRST}`
  })

test('the tip of a network is told with the highest it ever had', async () => {
  expect(await followedTips(db)).toEqual([])
  await move(5, 'first')
  await move(6, 'extends')
  await move(6, 'forks', 'a')
  await move(5, 'forks', 'b')
  expect(await followedTips(db)).toEqual([
    {
      network: NETWORK,
      sequenceNumber: FIRST + 3,
      number: 5,
      hash: '0x5b',
      atMs: 5,
      highest: 6,
    },
  ])
})

test('a chain that begins anew has replaced nothing', async () => {
  for (const number of [5, 6, 7]) await move(number, number === 5 ? 'first' : 'extends')
  await beginAnew(db, NETWORK)
  await move(1, 'first')
  await move(2, 'extends')
  expect(await followedTips(db)).toMatchObject([{ number: 2, highest: 2 }])
})

test('blocks since an event are those that are canonical now', async () => {
  await move(10, 'first')
  for (const number of [11, 12, 13]) await move(number, 'extends')
  expect(await since(FIRST)).toEqual(['11 0x11 1', '12 0x12 2', '13 0x13 3'])
  expect(await since(FIRST + 3)).toEqual([])
  expect(await since(FIRST, 2)).toEqual(['12 0x12 2', '13 0x13 3'])

  await move(12, 'forks', 'a')
  expect(await since(FIRST)).toEqual(['11 0x11 1', '12 0x12a 4'])
  expect(await since(FIRST + 3)).toEqual(['12 0x12a 4'])
  await move(13, 'extends', 'a')
  await move(11, 'forks', 'b')
  await move(12, 'extends', 'b')
  expect(await since(FIRST + 3)).toEqual(['11 0x11b 6', '12 0x12b 7'])
  expect(await canonicalSince(db, 'NONE', FIRST, 10)).toEqual([])
})
