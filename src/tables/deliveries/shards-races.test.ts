import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  billOf,
  eventTo,
  LEASE_MS,
  NOW_MS,
  outcomeOf,
  settleHeld,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { openSqliteFile } from '../../embedded/database/sqlite-database.ts'
import type { Database } from '../../ports/database.ts'
import { migrate } from '../migrate.ts'
import { joinCouriers, takeShards } from './shards.ts'

test('of two processes that take shards and settle at once, each delivery counts for one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-shards-'))
  const path = join(folder, 'store.db')
  const first = await openSqliteFile(path)
  await migrate(first)
  await insertTeams(first)
  await addWebhooks(first, webhookCalled('wh_1'))
  const second = await openSqliteFile(path)
  const { deliveries } = await eventTo(first, [['wh_1']])
  const take = async (process: Database, courier: string) => {
    const untilMs = NOW_MS + LEASE_MS
    const token = await joinCouriers(process, courier, NOW_MS, untilMs)
    const ours = { courier, token, untilMs }
    return { ours, shards: await takeShards(process, ours, NOW_MS, 128) }
  }
  const [a, b] = await Promise.all([take(first, 'a'), take(second, 'b')])
  expect([...a.shards, ...b.shards].toSorted((x, y) => x - y)).toEqual(
    Array.from({ length: 256 }, (_, at) => at),
  )
  const outcomes = deliveries.map((delivery) => outcomeOf(delivery))
  const held = await Promise.all([
    settleHeld(first, a.ours, outcomes),
    settleHeld(second, b.ours, outcomes),
  ])
  expect(held.filter((some) => some !== 'fenced' && some.size === 1)).toHaveLength(1)
  expect((await billOf(first)).lines).toMatchObject([{ calls: 1 }])
  await Promise.all([first.close(), second.close()])
  await rm(folder, { recursive: true })
})
