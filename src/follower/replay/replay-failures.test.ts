import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eachSeed } from '../../../tests/support/basics/each-seed.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import {
  FIRST,
  openReplayBench,
  type ReplayBench,
  usualBlocks,
  WEBHOOK,
} from '../../../tests/support/deliveries/replay-bench.ts'
import { dueTo, eventAt } from '../../../tests/support/deliveries/webhook-store.ts'
import type { ScriptedCall } from '../../../tests/support/nodes/scripted-outbound.ts'
import {
  type FaultyDatabase,
  faultyDatabase,
} from '../../../tests/support/store/faulty-database.ts'
import { Failure } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { recordEvent } from '../../tables/chain/chain-events.ts'
import { cancelDeliveries } from '../../tables/deliveries/cancel-deliveries.ts'
import { webhookNumbers } from '../../tables/webhooks/courier-webhooks.ts'

/** Hours pass here in seconds, or in more where the machine is busy with others. */
setDefaultTimeout(180_000)

const BLOCKS = usualBlocks()

/** The team is found, its replays are listed and one is leased; what comes next fails. */
const STATEMENTS_UNTIL_LEASED = 3

let on: ReplayBench

beforeEach(async () => {
  on = await openReplayBench(BLOCKS)
})

afterEach(() => on.close())

async function webhookAndChain(): Promise<void> {
  await on.addWebhook({ query: '{ block { number } }' })
  await on.follow(...BLOCKS.slice(4))
}

async function expectAllOnce(id: string): Promise<void> {
  expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 10, skipped: 0 })
  const heights = (await on.deliveries()).map((one) => one.data.block.number)
  expect(heights).toEqual(BLOCKS.map(({ ref }) => ref.number))
}

describe('a replay whose process dies', () => {
  test('at any of its statements goes on with the very next block', () =>
    eachSeed(sized(8, 24), async (statement) => {
      await on.close()
      on = await openReplayBench(BLOCKS)
      await webhookAndChain()
      const id = await on.create(991, 1000)
      const dying = dyingStore(on.store, statement - 1)
      const first = on.open(dying)
      await on.until(async () => dying.isDead())
      void first.stop()
      await on.clock.advance(3_000)

      on.open()
      await expectAllOnce(id)
    }))

  test('after a commit that got no answer does not do that block again', async () => {
    await webhookAndChain()
    const id = await on.create(991, 1000)
    const store: FaultyDatabase = faultyDatabase(on.store)
    store.losesAnswers = true
    const replays = on.open(store)
    await on.until(async () => (await on.replayOf(id)).nextBlock > 993)
    store.losesAnswers = false
    replays.wake()
    await expectAllOnce(id)
  })

  test('is taken over by another when its lease has lapsed, and not before', async () => {
    await webhookAndChain()
    const id = await on.create(991, 1000)
    const dying = dyingStore(on.store, STATEMENTS_UNTIL_LEASED)
    on.open(dying, 'process-1')
    await on.until(async () => dying.isDead())
    on.open(on.store, 'process-2')
    await on.clock.advance(30_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 991 })
    await expectAllOnce(id)
  })

  test('does each block once, however many processes there are', async () => {
    await webhookAndChain()
    const id = await on.create(991, 1000)
    for (const holder of ['a', 'b', 'c', 'd']) on.open(on.store, holder)
    await expectAllOnce(id)
  })

  test('gets on when the store was away for a while', async () => {
    await webhookAndChain()
    const id = await on.create(991, 1000)
    const store = faultyDatabase(on.store)
    store.down = true
    on.open(store)
    await on.clock.advance(30_000)
    store.down = false
    await expectAllOnce(id)
  })
})

describe('a replay whose nodes fail', () => {
  const isFor = (call: ScriptedCall, number: number) =>
    call.params[0] === BLOCKS.find(({ ref }) => ref.number === number)?.ref.hash

  test.each([
    ['say nothing', () => true, 'No ETH_MAINNET node gave block 996 in time.'],
    ['cannot be reached', (call: ScriptedCall) => lost(call), /^No ETH_MAINNET node could/],
    ['answer nonsense', (call: ScriptedCall) => told(call, 7), /^No ETH_MAINNET node could give/],
  ])('by those that %s says so until they answer', async (_title, answer, error) => {
    await webhookAndChain()
    on.network.misbehave = (call) => isFor(call, 996) && answer(call)
    on.open()
    const id = await on.create(991, 1000)
    await on.until(async () => (await on.replayOf(id)).error !== null)
    const stuck = await on.replayOf(id)
    expect(stuck).toMatchObject({ state: 'running', nextBlock: 996, delivered: 5 })
    expect(stuck.error).toMatch(error)

    on.network.misbehave = () => false
    await expectAllOnce(id)
    expect((await on.replayOf(id)).error).toBeNull()
  })

  test('outlasts any silence', async () => {
    await webhookAndChain()
    on.network.misbehave = (call) => isFor(call, 996)
    on.open()
    const id = await on.create(991, 1000)
    await on.clock.advance(3_600_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 996 })
    on.network.misbehave = () => false
    await expectAllOnce(id)
  })

  test('fails at a block that none of them has any more, after some patience', async () => {
    await webhookAndChain()
    on.network.misbehave = (call) => isFor(call, 996) && told(call, null)
    on.open()
    const id = await on.create(991, 1000)
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({
      state: 'running',
      error: 'No ETH_MAINNET node has block 996 any more.',
    })
    expect(await on.ended(id)).toMatchObject({
      state: 'failed',
      nextBlock: 996,
      delivered: 5,
      error: 'No ETH_MAINNET node has block 996 any more.',
    })
  })

  test('fails at an old block that none of them has any more', async () => {
    await on.addWebhook()
    await on.follow(...BLOCKS.slice(4))
    on.open()
    const ended = await on.ended(await on.create(980, 1000))
    expect(ended).toMatchObject({
      state: 'failed',
      nextBlock: 980,
      error: 'No ETH_MAINNET node has block 980 any more.',
    })
  })
})

describe('while a replay reads a block', () => {
  test('that a reorganisation replaces, it turns to the one that took its place', async () => {
    const fork = usualBlocks('bb', 999, 1000)
    await on.close()
    on = await openReplayBench([...BLOCKS, ...fork])
    await on.addWebhook({ query: '{ block { hash } }' })
    await on.follow(...BLOCKS.slice(4))
    const held: ScriptedCall[] = []
    on.network.misbehave = (call) => {
      if (call.params[0] !== BLOCKS[8]?.ref.hash) return false
      held.push(call)
      return true
    }
    on.open()
    const id = await on.create(998, 1000)
    await on.until(async () => held.length > 0)
    await on.follow(...fork)
    on.network.misbehave = () => false
    for (const call of held) call.result(BLOCKS[8]?.block)
    expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 3 })
    expect((await on.deliveries()).map((one) => [one.sequenceNumber, one.blockHash])).toEqual([
      [FIRST + 3, BLOCKS[7]?.ref.hash],
      [FIRST + 6, fork[0]?.ref.hash],
      [FIRST + 7, fork[1]?.ref.hash],
    ] as never)
  })
})

describe('a replay to a destination that takes nothing', () => {
  test('does not pile up more than a few hundred deliveries', async () => {
    await on.addWebhook()
    await recordEvent(on.store, eventAt(700, null))
    for (let number = 701; number <= 1000; number++) {
      const due = [dueTo(WEBHOOK)]
      await recordEvent(on.store, eventAt(number, FIRST + number - 701, { due }))
    }
    on.open()
    const id = await on.create(690, 700)
    await on.clock.advance(60_000)
    expect(await on.replayOf(id)).toMatchObject({ state: 'running', nextBlock: 690 })
    expect(on.network.asked()).toEqual([])

    const webhook = (await webhookNumbers(on.store, [WEBHOOK])).get(WEBHOOK) ?? 0
    await on.store.transaction((tx) => cancelDeliveries(tx, { webhook, teamId: 'team_a' }))
    await on.until(async () => on.network.asked().length > 0)
  })
})

describe('replays of several webhooks', () => {
  test('go on beside each other, however many there are', async () => {
    await on.follow(...BLOCKS.slice(4))
    const ids: string[] = []
    for (let count = 0; count < 7; count++) {
      const id = `wh_${String(count).padStart(16, '0')}`
      await on.addWebhook({ id })
      ids.push(await on.create(991, 1000, id))
    }
    on.open()
    for (const id of ids) {
      expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 10 })
    }
  })

  test('are not held up by any that wait', async () => {
    await on.follow(...BLOCKS.slice(4))
    for (let count = 0; count < 120; count++) {
      const id = `wh_${String(count).padStart(16, '0')}`
      await on.addWebhook({ id, state: 'paused', reason: 'MANUAL' })
      await on.create(995, 1000, id)
    }
    await on.addWebhook()
    const id = await on.create(995, 1000)
    on.open()
    expect(await on.ended(id)).toMatchObject({ state: 'done', delivered: 6 })
  })
})

/** Works for so many statements and transactions, and never again. */
function dyingStore(inner: Database, statements: number): Database & { isDead(): boolean } {
  let left = statements
  const ask = <T>(work: () => Promise<T>): Promise<T> => {
    left--
    return left < 0 ? Promise.reject(new Failure('database_unavailable')) : work()
  }
  return {
    isDead: () => left < 0,
    query: (statement) => ask(() => inner.query(statement)),
    each: (statement, rows) => ask(() => inner.each(statement, rows)),
    transaction: (work) => ask(() => inner.transaction(work)),
    perform: (procedure, args) => ask(() => inner.perform(procedure, args)),
    close: () => inner.close(),
  }
}

function lost(call: ScriptedCall): true {
  call.fail(false)
  return true
}

function told(call: ScriptedCall, result: unknown): true {
  call.result(result)
  return true
}
