import { afterEach, describe, expect, test } from 'bun:test'
import {
  ALICE,
  type RawParts,
  rawBlock,
  rawLog,
} from '../../../../tests/support/blocks/raw-block.ts'
import { type QueryApi, queryApi } from '../../../../tests/support/deliveries/query-api.ts'
import { addItems } from '../../../tables/webhooks/variables.ts'

const NEWEST = 300
const FIRST_S = 1_800_000_000
const MONTH_S = 30 * 24 * 3600

const LOGS = `{ block { number logs(filter: { addresses: "${ALICE}" }) { data } } }`

/** Blocks every 12 seconds; ALICE has a log in each fifth. */
function chain(count: number, first = NEWEST - count + 1): RawParts[] {
  return Array.from({ length: count }, (_, at) => {
    const number = first + at
    const logs = number % 5 === 0 ? [rawLog(1, ALICE, '0x2a')] : [rawLog(1)]
    const parts = rawBlock([{ logs }], number)
    parts.block.timestamp = `0x${(FIRST_S + at * 12).toString(16)}`
    if (number === 0) parts.block.parentHash = `0x${'0'.repeat(64)}`
    return parts
  })
}

let on: QueryApi

afterEach(() => on.close())

async function open(blocks = chain(60)) {
  on = await queryApi(blocks)
}

function ask(graphql_query: unknown, more: Record<string, unknown> = {}) {
  const body = { network: 'ETH_MAINNET', graphql_query, ...more }
  return whileTimePasses(on.api.call('POST', '/api/estimate-query', { body }))
}

/** Nodes that hang are waited for in their own time, however long the machine takes for it. */
async function whileTimePasses<T>(work: Promise<T>): Promise<T> {
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  while (!done) await on.network.clock.advance(50)
  return ended
}

async function estimate(query: unknown, more: Record<string, unknown> = {}) {
  const { status, body } = await ask(query, more)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}

describe('an estimate', () => {
  test('tells what the newest 50 blocks would bring and cost, to the hundredth', async () => {
    await open()
    const found = await estimate({ query: LOGS, skip_empty_messages: true })
    const [empty, full] = [found.sample[0].bytes, found.sample[4].bytes]
    expect(found).toMatchObject({
      network: 'ETH_MAINNET',
      from_block: 251,
      to_block: NEWEST,
      blocks: 50,
      delivered: 10,
      empty: 40,
      largest_bytes: full,
      bytes: 10 * full,
      cu: (10 * full * 4) / 100,
      block_time_ms: 12_000,
      month: {
        deliveries: MONTH_S / 12 / 5,
        bytes: (MONTH_S / 12 / 5) * full,
        cu: ((MONTH_S / 12 / 5) * full * 4) / 100,
      },
      month_every_block: {
        deliveries: MONTH_S / 12,
        bytes: (MONTH_S / 12 / 5) * (full + 4 * empty),
        cu: ((MONTH_S / 12 / 5) * (full + 4 * empty) * 4) / 100,
      },
    })
    expect(found.sample).toHaveLength(50)
    expect(found.sample[0]).toEqual({
      number: 251,
      bytes: empty,
      matched: { logs: 0 },
      empty: true,
    })
    expect(found.sample[4]).toMatchObject({ number: 255, matched: { logs: 1 }, empty: false })
    expect(found.variables).toBeUndefined()
  })

  test('says the same of a block as a dry run', async () => {
    await open()
    const { sample } = await estimate(LOGS, { blocks: 3 })
    for (const { number, bytes, empty, matched } of sample) {
      const { body } = await on.ask(LOGS, { block: number })
      expect(body).toMatchObject({ bytes, empty, matched })
    }
  })

  test('counts empty blocks where they are delivered', async () => {
    await open()
    const found = await estimate(LOGS, { blocks: 10 })
    expect(found).toMatchObject({ blocks: 10, from_block: 291, delivered: 10, empty: 8 })
    expect(found.month).toEqual(found.month_every_block)
  })

  test('of nothing that matches costs nothing', async () => {
    await open()
    const query = `query ($who: [Address!]) {
      block { logs(filter: { addresses: $who }) { data } } }`
    const none = await estimate({ query, skip_empty_messages: true })
    const nothing = { deliveries: 0, bytes: 0, cu: 0 }
    expect(none).toMatchObject({ delivered: 0, empty: 50, bytes: 0, cu: 0, largest_bytes: 0 })
    expect([none.month, none.variables]).toEqual([nothing, ['who']])
    const list = { name: 'who', kind: 'Address' as const, items: [ALICE] }
    await addItems(on.api.needs.database, { teamId: on.api.teamId, ...list })
    const some = await estimate({ query, skip_empty_messages: true })
    expect([some.delivered, some.variables]).toEqual([10, undefined])
  })

  test('reads what there is of a young chain', async () => {
    await open(chain(4, 0))
    expect(await estimate(LOGS)).toMatchObject({ from_block: 0, to_block: 3, blocks: 4 })
  })

  test('of one block goes by the configured time', async () => {
    await open()
    const found = await estimate(LOGS, { blocks: 1 })
    const { blockTimeMs } = on.api.needs.services()[0]?.network ?? { blockTimeMs: 0 }
    expect(found).toMatchObject({ blocks: 1, from_block: NEWEST, block_time_ms: blockTimeMs })
    expect(found.month.deliveries).toBe(Math.floor((MONTH_S * 1000) / blockTimeMs))
  })

  test('ignores the block that the query names', async () => {
    await open()
    const query = '{ block(number: 255) { number } }'
    expect(await estimate(query, { blocks: 2 })).toMatchObject({ to_block: NEWEST })
  })
})

describe('when blocks cannot be read', () => {
  test('it is made of those that could be, without a gap', async () => {
    await open()
    on.network.misbehave = (call) => {
      const isOld = call.method === 'eth_getBlockByNumber' && Number(call.params[0]) <= 280
      if (isOld) call.error(-32000, 'pruned')
      return isOld
    }
    expect(await estimate(LOGS)).toMatchObject({ from_block: 281, to_block: NEWEST, blocks: 20 })
  })

  test('and time is up, it is made of those that were there in time', async () => {
    await open()
    on.api.needs.clock.monotonicMs = on.network.clock.monotonicMs
    on.api.needs.clock.after = on.network.clock.after
    on.network.misbehave = (call) =>
      call.method === 'eth_getBlockByNumber' && Number(call.params[0]) <= 290
    const found = await estimate(LOGS)
    expect(found).toMatchObject({ to_block: NEWEST, blocks: 10, from_block: 291 })
  })

  test('not even the newest, it says so without a word about nodes', async () => {
    await open()
    on.network.misbehave = (call) => {
      call.error(-32000, 'node-a at http://node-a/ has key=secret')
      return true
    }
    const { status, body } = await ask(LOGS)
    expect([status, body.name]).toEqual([503, 'Unavailable'])
    expect(body.message).not.toMatch(/node-a|secret|http/)
  })
})

describe('what cannot be estimated is refused', () => {
  test.each([
    ['blocks', { blocks: 0 }],
    ['blocks', { blocks: 51 }],
    ['blocks', { blocks: 1.5 }],
    ['blocks', { blocks: '5' }],
    ['blocks', { blocks: null }],
    ['network', { network: 'SOLANA_MAINNET' }],
    ['network', { network: 'NOPE' }],
    ['block', { block: 5 }],
    ['graphql_query', { graphql_query: 5 }],
    ['graphql_query', { graphql_query: '{ block { nope } }' }],
  ])('%s in %j', async (field, more) => {
    await open(chain(2))
    const { status, body } = await ask(LOGS, more)
    expect([status, body.name]).toEqual([400, 'ValidationError'])
    expect(body.message).toStartWith(field)
    expect(on.network.asked()).toEqual([])
  })

  test('with the place of the mistake', async () => {
    await open(chain(2))
    const { body } = await ask('{ block {\n nope } }')
    expect(body.locations).toEqual([{ line: 2, column: 2 }])
    const deep = await ask('{ block { parent { parent { hash } } } }')
    expect(deep.body).toMatchObject({ name: 'QueryTooDeep', locations: [{ line: 1, column: 20 }] })
    const unserved = await ask('{ block { transactions { inputData } } }')
    expect([unserved.status, unserved.body.locations]).toEqual([501, [{ line: 1, column: 26 }]])
  })

  test('when a team asks too often', async () => {
    await open(chain(2))
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push((await ask(LOGS, { blocks: 1 })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    on.api.time.nowMs += 10_000
    expect((await ask(LOGS, { blocks: 1 })).status).toBe(200)
  })
})
