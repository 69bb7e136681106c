import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshStore } from '../../../tests/fresh-store.ts'
import { deliveriesOf } from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  dueTo,
  eventAt,
  insertTeams,
  NETWORK,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { openSqliteFile } from '../../embedded/database/sqlite-database.ts'
import type { Database } from '../../ports/database.ts'
import { migrate } from '../migrate.ts'
import { recordEvent } from './chain-events.ts'
import { readChain } from './chain-tail.ts'

const FIRST = 1_000_000_000_001

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
})
afterEach(() => db.close())

describe('of those who record the same event', () => {
  test.each(['the first', 'the next'])('exactly one wins: %s', async (which) => {
    if (which === 'the next') await recordEvent(db, eventAt(6, null))
    const previous = which === 'the next' ? FIRST : null
    const follower = (fork: string) =>
      recordEvent(db, eventAt(7, previous, { fork, due: [dueTo('wh_1')] }))
    const forks = ['-a', '-b', '-c', '-d']
    const ended = await Promise.all(forks.map(follower))
    const winners = forks.filter((_, index) => ended[index] !== 'lost')
    expect(winners).toHaveLength(1)
    expect((await readChain(db, NETWORK))?.headers.at(-1)?.hash).toBe(`0x7${winners[0]}`)
    expect((await deliveriesOf(db, 'wh_1', 10)).map(({ blockHash }) => blockHash)).toEqual([
      `0x7${winners[0]}`,
    ])
  })

  test('processes too: two that follow one network never write an event twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-events-'))
    const open = () => openSqliteFile(join(folder, 'store.db'))
    const [one, two] = [await open(), await open()]
    await migrate(one)
    await insertTeams(one)
    await addWebhooks(one, webhookCalled('wh_1'))

    for (let index = 0; index < 20; index++) {
      const event = (fork: string) =>
        eventAt(index, index === 0 ? null : FIRST + index - 1, { fork, due: [dueTo('wh_1')] })
      const ended = await Promise.all([
        recordEvent(one, event('-1')),
        recordEvent(two, event('-2')),
      ])
      expect(ended.filter((end) => end === 'lost')).toHaveLength(1)
    }
    expect(await deliveriesOf(two, 'wh_1', 100)).toHaveLength(20)
    expect((await readChain(two, NETWORK))?.sequenceNumber).toBe(FIRST + 19)
    await Promise.all([one.close(), two.close()])
    await rm(folder, { recursive: true })
  })
})
