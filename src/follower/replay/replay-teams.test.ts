import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  openReplayBench,
  type ReplayBench,
  usualBlocks,
} from '../../../tests/support/deliveries/replay-bench.ts'
import { TEAM_B } from '../../../tests/support/deliveries/webhook-store.ts'

const BLOCKS = usualBlocks()
const OTHER = 'wh_fedcba9876543210'
const MANY = 30

let on: ReplayBench
beforeEach(async () => {
  on = await openReplayBench(BLOCKS)
})
afterEach(() => on.close())

test('replays take turns by team, however many one of them has', async () => {
  await on.follow(...BLOCKS.slice(4))
  const ids: string[] = []
  for (let count = 0; count < MANY; count++) {
    const id = `wh_${String(count).padStart(16, '0')}`
    await on.addWebhook({ id, query: '{ block { number } }' })
    ids.push(await on.create(991, 1000, id))
  }
  await on.addWebhook({ id: OTHER, teamId: TEAM_B, query: '{ block { number } }' })
  ids.push(await on.create(991, 1000, OTHER, TEAM_B))
  on.open()
  for (const id of ids) expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 10 })
  // In the order of all blocks that were done: it was not the last, but among the first.
  expect(on.reminded).toHaveLength((MANY + 1) * 10)
  expect(on.reminded.lastIndexOf(OTHER)).toBeLessThan(6 * 10)
})

test('the replays of a team that is alone have all places, and turns one after the other', async () => {
  await on.follow(...BLOCKS.slice(4))
  const webhookIds = Array.from({ length: 5 }, (_, at) => `wh_${String(at).padStart(16, '0')}`)
  const held = new Set<string>()
  on.network.misbehave = ({ params }) => {
    held.add(String(params[0]))
    return true
  }
  for (const [at, id] of webhookIds.entries()) {
    await on.addWebhook({ id })
    await on.create(995 + at, 995 + at, id)
  }
  on.open()
  await on.clock.advance(1_000)
  expect(held.size).toBe(3)
})

test('replays wait while the follower is behind, and go on when it is not', async () => {
  await on.addWebhook({ id: OTHER })
  await on.follow(...BLOCKS.slice(0, 3))
  on.open()
  const id = await on.create(991, 992, OTHER)
  await on.clock.advance(30_000)
  expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 991 })
  expect(on.network.asked()).toEqual([])
  await on.follow(...BLOCKS.slice(3))
  expect(await on.ended(id)).toMatchObject({ state: 'done' })
})
