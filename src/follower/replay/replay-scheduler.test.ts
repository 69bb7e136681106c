import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rawBlock, rawLog, TOKEN } from '../../../tests/support/blocks/raw-block.ts'
import {
  FIRST,
  openReplayBench,
  type ReplayBench,
  usualBlocks,
  WEBHOOK,
} from '../../../tests/support/deliveries/replay-bench.ts'
import { TEAM_A } from '../../../tests/support/deliveries/webhook-store.ts'
import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { cancelReplay } from '../../tables/webhooks/replays.ts'
import { addItems } from '../../tables/webhooks/variables.ts'
import { changeWebhook, deleteWebhook } from '../../tables/webhooks/webhooks.ts'

const BLOCKS = usualBlocks()

const OTHER = 'wh_fedcba9876543210'

/** The block of a height. */
const at = (number: number, blocks = BLOCKS) => {
  const found = blocks.find(({ ref }) => ref.number === number)
  if (!found) throw new Error(`no block ${number}`)
  return found
}

let on: ReplayBench

beforeEach(async () => {
  on = await openReplayBench(BLOCKS)
})

afterEach(() => on.close())

describe('a replay delivers', () => {
  test('each height with the number of the event that made it canonical', async () => {
    await on.addWebhook({ query: '{ block { number hash } }' })
    await on.follow(...BLOCKS.slice(4))
    on.open()
    const ended = await on.ended(await on.create(995, 1000))
    expect(ended).toMatchObject({ state: 'done', nextBlock: 1001, delivered: 6, skipped: 0 })

    const delivered = await on.deliveries()
    expect(delivered.map((one) => one.sequenceNumber)).toEqual([0, 1, 2, 3, 4, 5].map(numbered))
    for (const one of delivered) {
      const { ref } = at(one.blockNumber ?? 0)
      expect(one.data).toEqual({ block: { number: ref.number, hash: ref.hash } })
      expect(one.id).toBe(deliveryId(WEBHOOK, one.sequenceNumber ?? 0))
      expect(one).toMatchObject({ replay: true, state: 'waiting', blockHash: ref.hash })
    }
    expect(on.reminded).toEqual(Array(6).fill(WEBHOOK))
  })

  test('nothing while the disk has no room, and goes on when it has', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4))
    on.disk.hasRoom = false
    on.open()
    const id = await on.create(995, 1000)
    await on.clock.advance(10_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 995 })
    on.disk.hasRoom = true
    expect(await on.ended(id)).toMatchObject({ state: 'done', nextBlock: 1001 })
  })

  test('heights older than anything followed with their own number', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(6))
    on.open()
    await on.ended(await on.create(993, 998))
    const numbers = (await on.deliveries()).map((one) => [one.blockNumber, one.sequenceNumber])
    expect(numbers).toEqual([
      [993, 993],
      [994, 994],
      [995, 995],
      [996, 996],
      [997, FIRST],
      [998, FIRST + 1],
    ])
  })

  test('what became of a height in a reorganisation, not what it was before', async () => {
    const fork = usualBlocks('bb', 998, 1000)
    await on.close()
    on = await openReplayBench([...BLOCKS, ...fork])
    await on.addWebhook({ query: '{ block { hash } }' })
    await on.follow(...BLOCKS.slice(5), ...fork)
    on.open()
    await on.ended(await on.create(996, 1000))
    const delivered = await on.deliveries()
    expect(delivered.map((one) => [one.sequenceNumber, one.data.block.hash])).toEqual([
      [FIRST, at(996).ref.hash],
      [FIRST + 1, at(997).ref.hash],
      [FIRST + 5, at(998, fork).ref.hash],
      [FIRST + 6, at(999, fork).ref.hash],
      [FIRST + 7, at(1000, fork).ref.hash],
    ])
  })

  test('anew what was delivered before, under the same id', async () => {
    await on.addWebhook({ query: '{ block { number } }' })
    await on.follow(...BLOCKS.slice(4))
    on.open()
    await on.ended(await on.create(995, 997))
    const before = await on.deliveries()
    await changeWebhook(on.store, TEAM_A, WEBHOOK, { query: '{ block { hash } }' })
    await on.ended(await on.create(995, 997))
    const after = await on.deliveries()
    expect(after.map((one) => one.id)).toEqual(before.map((one) => one.id))
    expect(after.map((one) => one.data)).toEqual(
      [995, 996, 997].map((number) => ({ block: { hash: at(number).ref.hash } })),
    )
  })

  test('only what is not empty when empty results are to be skipped', async () => {
    await on.addWebhook({ query: '{ block { number logs { data } } }', skipEmpty: true })
    await on.follow(...BLOCKS.slice(4))
    on.open()
    const ended = await on.ended(await on.create(991, 1000))
    expect(ended).toMatchObject({ state: 'done', delivered: 5, skipped: 5 })
    expect((await on.deliveries()).map((one) => one.blockNumber)).toEqual([
      992, 994, 996, 998, 1000,
    ])
  })

  test('an empty result of a height that was delivered, to whoever wants to be told', async () => {
    const fork = [rawBlock([], 1000, 'bb')]
    await on.close()
    on = await openReplayBench([...BLOCKS, ...fork])
    const wanted = { query: '{ block { logs { data } } }', skipEmpty: true }
    await on.addWebhook({ ...wanted, notifyRemoved: true })
    await on.addWebhook({ id: OTHER, ...wanted })
    await on.follow(...BLOCKS.slice(8))
    on.open()
    for (const id of [WEBHOOK, OTHER]) await on.ended(await on.create(1000, 1000, id))
    await on.follow(...fork)
    const told = await on.ended(await on.create(999, 1000))
    expect(told).toMatchObject({ delivered: 1, skipped: 1 })
    const last = (await on.deliveries()).at(-1)
    expect(last).toMatchObject({ sequenceNumber: FIRST + 2, data: { block: { logs: [] } } })
    const untold = await on.ended(await on.create(999, 1000, OTHER))
    expect(untold).toMatchObject({ delivered: 0, skipped: 2 })
  })

  test('what the query asks for, also when that changes on the way', async () => {
    await on.addWebhook({ query: '{ block { number } }' })
    await on.follow(...BLOCKS.slice(4, 8))
    on.open()
    const id = await on.create(995, 1000)
    await on.until(async () => (await on.replayOf(id)).nextBlock === 999)
    const query = '{ block { number logs { topics } } }'
    await changeWebhook(on.store, TEAM_A, WEBHOOK, { query })
    await on.follow(...BLOCKS.slice(8))
    await on.ended(id)
    const [first, ...rest] = (await on.deliveries()).map((one) => one.data.block)
    expect(first).toEqual({ number: 995 })
    expect(rest.at(-1)).toEqual({ number: 1000, logs: [{ topics: rawLog(1).topics }] })
  })

  test('with the team’s variables as they are now', async () => {
    const query = 'query ($who: [Address!]) { block { logs(filter: {addresses: $who}) { data } } }'
    await on.addWebhook({ query, skipEmpty: true })
    await on.follow(...BLOCKS.slice(4))
    await addItems(on.store, { teamId: TEAM_A, name: 'who', kind: 'Address', items: [TOKEN] })
    on.open()
    const ended = await on.ended(await on.create(995, 1000))
    expect(ended).toMatchObject({ delivered: 3, skipped: 3 })
  })

  test('without reading more of a block than the query needs', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4))
    on.open()
    await on.ended(await on.create(995, 1000))
    expect(new Set(on.network.asked())).toEqual(new Set(['eth_getBlockByHash']))
  })
})

describe('a replay waits', () => {
  test('for heights that have not been followed so far', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4, 7))
    on.open()
    const id = await on.create(995, 999)
    await on.until(async () => (await on.replayOf(id)).nextBlock === 998)
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 998, error: null })

    await on.follow(...BLOCKS.slice(7, 9))
    expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 5 })
  })

  test('for a network to be followed at all', async () => {
    await on.addWebhook()
    on.open()
    const id = await on.create(995, 996)
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 995 })
    await on.follow(...BLOCKS.slice(4))
    expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 2 })
  })

  test('while its webhook is paused, and goes on when that ends', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4))
    const paused = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(on.store, TEAM_A, WEBHOOK, { standing: paused })
    const replays = on.open()
    const id = await on.create(995, 1000)
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 995 })
    expect(on.network.asked()).toEqual([])

    const active = { state: 'active', reason: null } as const
    await changeWebhook(on.store, TEAM_A, WEBHOOK, { standing: active })
    replays.wake()
    expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 6 })
  })
})

describe('a replay ends', () => {
  test('when it is cancelled, with what was committed so far', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4, 8))
    on.open()
    const id = await on.create(995, 1000)
    await on.until(async () => (await on.replayOf(id)).nextBlock === 999)
    await cancelReplay(on.store, TEAM_A, id, on.clock.nowMs())
    await on.follow(...BLOCKS.slice(8))
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'cancelled', nextBlock: 999 })
    expect(await on.deliveries()).toHaveLength(4)
  })

  test('when its webhook is deleted', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4, 8))
    on.open()
    const id = await on.create(995, 1000)
    await on.until(async () => (await on.replayOf(id)).nextBlock === 999)
    await deleteWebhook(on.store, TEAM_A, WEBHOOK)
    await on.follow(...BLOCKS.slice(8))
    expect(await on.ended(id)).toMatchObject({ state: 'cancelled', nextBlock: 999 })
    for (const { state } of await on.deliveries()) expect(state).toBe('cancelled')
  })

  test('when its query cannot be run any more', async () => {
    await on.addWebhook({ query: '{ block { nonsense } }' })
    await on.follow(...BLOCKS.slice(4))
    on.open()
    const ended = await on.ended(await on.create(995, 1000))
    expect(ended).toMatchObject({ state: 'failed', delivered: 0 })
    expect(ended.error).toContain('nonsense')
  })
})

function numbered(count: number): number {
  return FIRST + count
}
