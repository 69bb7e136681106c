import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { testWorld } from '../../../../tests/support/basics/test-world.ts'
import {
  eventAt,
  insertTeams,
  NETWORK,
} from '../../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../../ports/database.ts'
import { recordEvent } from '../../../tables/chain/chain-events.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { openHeadReader } from './head-reader.ts'

let db: Database
let sequence: number | null
let readHeads: () => Promise<string[]>

beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  sequence = null
  const services = () => [{ network: { id: NETWORK, kind: 'evm' }, pool: { selection: {} } }]
  const read = openHeadReader(
    testWorld({ database: db }),
    services as unknown as () => NetworkService[],
  )
  readHeads = async () =>
    (await read()).map(({ data }) => {
      const { number, reorganised_from: from } = JSON.parse(data)
      return from === null ? `${number}` : `${number} from ${from}`
    })
  await move('first', 10)
  expect(await readHeads()).toEqual(['10'])
})
afterEach(() => db.close())

async function move(kind: 'first' | 'extends' | 'forks', number: number, fork = '') {
  const moved = await recordEvent(db, eventAt(number, sequence, { kind, fork, atMs: number }))
  if (moved === 'lost') throw new Error('no other process moves this chain')
  sequence = moved.sequenceNumber
}

async function replace(fork: string, ...numbers: number[]) {
  for (const [at, number] of numbers.entries()) {
    await move(at === 0 ? 'forks' : 'extends', number, fork)
  }
}

async function extend(...numbers: number[]) {
  for (const number of numbers) await move('extends', number)
}

describe('a reorg reports all blocks that it replaced', () => {
  test('when they were reported before', async () => {
    await extend(11, 12)
    expect(await readHeads()).toEqual(['11', '12'])
    await replace('a', 11, 12, 13)
    expect(await readHeads()).toEqual(['11 from 11', '12 from 11', '13'])
    await extend(14)
    expect(await readHeads()).toEqual(['14'])
  })

  test('when the last of them came and went between two reads', async () => {
    await extend(11)
    expect(await readHeads()).toEqual(['11'])
    await extend(12)
    await replace('a', 11, 12, 13)
    expect(await readHeads()).toEqual(['11 from 11', '12 from 11', '13'])
  })

  test('when all of them came and went between two reads', async () => {
    await extend(11, 12)
    await replace('a', 11, 12, 13)
    expect(await readHeads()).toEqual(['11 from 11', '12 from 11', '13'])
  })

  test('when the new branch grows block by block', async () => {
    await extend(11, 12)
    await replace('a', 11)
    expect(await readHeads()).toEqual(['11 from 11'])
    await move('extends', 12, 'a')
    await move('extends', 13, 'a')
    expect(await readHeads()).toEqual(['12 from 11', '13'])
  })

  test('when a second reorg replaced the first', async () => {
    await extend(11, 12)
    expect(await readHeads()).toEqual(['11', '12'])
    await replace('a', 12)
    await replace('b', 11, 12)
    expect(await readHeads()).toEqual(['11 from 11', '12 from 11'])
  })
})
