import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { ALICE, BOB, rawBlock, rawLog, TOKEN } from '../../tests/support/blocks/raw-block.ts'
import { insertTeams, TEAM_A } from '../../tests/support/deliveries/webhook-store.ts'
import { type BlockNetwork, openNetworkOf } from '../../tests/support/nodes/block-network.ts'
import { deliveryId } from '../core/delivery/delivery-id.ts'
import { dataBody } from '../core/delivery/envelope.ts'
import { Failure, Rejection } from '../core/errors.ts'
import { compileQuery } from '../core/query/language/compile-query.ts'
import type { Database } from '../ports/database.ts'
import { dryRun } from './dry-run.ts'

const BLOCKS = [
  rawBlock([{ logs: [rawLog(1)] }], 998),
  rawBlock([], 999),
  rawBlock([{ logs: [rawLog(2), rawLog(0)] }, { from: BOB, to: ALICE }], 1000),
] as const

const WEBHOOK_ID = 'wh_0123456789abcdef'
const SEQUENCE_NUMBER = 1_000_000_000_777

let database: Database
let network: BlockNetwork

beforeEach(async () => {
  database = await freshStore()
  await insertTeams(database)
  network = await openNetworkOf(BLOCKS)
})

afterEach(async () => {
  network.network.stop()
  await database.close()
})

type Which = Parameters<typeof dryRun>[3]

function attempt(query: string, which: Which, store = database) {
  const plan = compileQuery(query)
  if (plan instanceof Rejection) throw new Error(plan.message)
  const world = testWorld({ clock: network.clock, database: store })
  return network.complete(dryRun(world, network.network, { teamId: TEAM_A, plan }, which))
}

async function run(query: string, which: Which = null) {
  const ran = await attempt(query, which)
  if (ran instanceof Rejection) throw new Error(ran.message)
  return { ...ran, data: JSON.parse(ran.outcome.text) }
}

/** The code and the words it is refused with. */
async function refusal(query: string, which: Which = null) {
  const ran = await attempt(query, which)
  return ran instanceof Rejection ? [ran.code, ran.message] : null
}

describe('a dry run', () => {
  test('takes the newest block unless told otherwise', async () => {
    const { data, header } = await run('{ block { number logs { index } transactions { hash } } }')
    expect(data.block.number).toBe(1000)
    expect(data.block.logs).toEqual([{ index: 0 }, { index: 1 }])
    expect(header).toEqual({
      number: 1000,
      hash: BLOCKS[2].ref.hash,
      parentHash: BLOCKS[1].ref.hash,
    })
  })

  test.each([
    ['number', { number: 998 }],
    ['hash', { hash: BLOCKS[0].ref.hash }],
  ])('takes a block by its %s', async (_title, which) => {
    const { data, header } = await run('{ block { hash logs { topics } } }', which)
    expect(data.block.hash).toBe(BLOCKS[0].ref.hash)
    expect(data.block.logs).toHaveLength(1)
    expect(header.number).toBe(998)
  })

  test('says what matched, and whether that is empty', async () => {
    const filter = `filter: {addresses: ["${TOKEN}"]}`
    const query = `{ block { hits: logs(${filter}) { data } none: transactions(filter: {addresses: [{to: "${TOKEN}"}]}) { hash } } }`
    expect((await run(query)).outcome).toMatchObject({
      empty: false,
      matched: { hits: 2, none: 0 },
    })
    expect((await run(query, { number: 999 })).outcome).toMatchObject({
      empty: true,
      matched: { hits: 0, none: 0 },
    })
  })

  test('tells the size of the body that would be delivered', async () => {
    const { outcome, bodyBytes } = await run('{ block { number logs { data topics } } }')
    const envelope = {
      webhookId: WEBHOOK_ID,
      deliveryId: deliveryId(WEBHOOK_ID, SEQUENCE_NUMBER),
      createdAtMs: network.clock.nowMs(),
      network: 'ETH_MAINNET',
      sequenceNumber: SEQUENCE_NUMBER,
      truncation: null,
    }
    const body = dataBody(envelope, outcome.text)
    expect(bodyBytes).toBe(Buffer.byteLength(body))
  })

  test('reads no more of a block than the query needs', async () => {
    await run('{ block { number } }', { number: 998 })
    expect(network.asked()).toEqual(['eth_getBlockByNumber', 'eth_getBlockByHash'])
    await run('{ block { callTracerTraces { type } } }', { number: 998 })
    expect(network.asked().slice(2)).toContain('debug_traceBlockByHash')
    expect(network.asked()).not.toContain('eth_getBlockReceipts')
  })

  test('names the variables that the team does not have', async () => {
    const query = 'query ($who: [Address!]) { block { logs(filter: {addresses: $who}) { data } } }'
    const { outcome, missingVariables } = await run(query)
    expect(missingVariables).toEqual(['who'])
    expect(outcome).toMatchObject({ empty: true, matched: { logs: 0 } })
  })
})

describe('a block that cannot be had', () => {
  test('is not found when no node knows it', async () => {
    const hash = `0x${'12'.repeat(32)}`
    expect(await refusal('{ block { hash } }', { number: 2000 })).toEqual([
      'not_found',
      'block: ETH_MAINNET has no block number 2000.',
    ])
    expect(await refusal('{ block { hash } }', { hash })).toEqual([
      'not_found',
      `block: ETH_MAINNET has no block with the hash ${hash}.`,
    ])
  })

  test.each([
    ['newest', null],
    ['numbered', { number: 998 }],
    ['named', { hash: BLOCKS[0].ref.hash }],
  ])('the %s one is awaited for a while from a node that says nothing', async (_title, which) => {
    network.misbehave = () => true
    expect(await refusal('{ block { logs { data } } }', which)).toEqual([
      'upstream_timeout',
      'No ETH_MAINNET node gave the block in time.',
    ])
  })

  test('is refused without the node’s own words when it fails', async () => {
    network.misbehave = (call) => {
      call.error(-32000, 'http://secret-host/ is on fire')
      return true
    }
    expect(await refusal('{ block { number } }', { number: 998 })).toEqual([
      'upstream_failed',
      'No ETH_MAINNET node could give the block; please try again.',
    ])
  })

  test('says so when no node traces', async () => {
    network.misbehave = (call) => {
      if (!/^(debug|trace)_/.test(call.method)) return false
      call.error(-32601, 'the method does not exist')
      return true
    }
    expect(await refusal('{ block { callTracerTraces { type } } }')).toEqual([
      'upstream_failed',
      'No ETH_MAINNET node could give the block with its call traces; please try again.',
    ])
  })

  test('is refused while no node has said where it stands', async () => {
    network.node('node-a').silent = true
    await network.clock.advance(600_000)
    expect(await refusal('{ block { number } }')).toEqual(['upstream_failed', expect.any(String)])
  })

  test('is asked of the next node when the first fails', async () => {
    network.network.stop()
    network = await openNetworkOf(BLOCKS, ['node-a', 'node-b'])
    network.misbehave = (call) => {
      if (!call.url.includes('node-a')) return false
      call.fail(false)
      return true
    }
    const { data } = await run('{ block { number logs { data } } }', { number: 998 })
    expect(data.block.number).toBe(998)
  })

  test('does not hide a store that is away', async () => {
    const broken: Database = {
      ...database,
      query: () => Promise.reject(new Failure('database_unavailable')),
    }
    const query = 'query ($a: [Address!]) { block { logs(filter: {addresses: $a}) { data } } }'
    const work = attempt(query, null, broken)
    await expect(work).rejects.toThrow('database_unavailable')
  })
})
