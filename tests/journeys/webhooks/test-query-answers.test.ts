// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addItems } from '../../../src/tables/webhooks/variables.ts'
import {
  EMITTED,
  NOBODY,
  type QueriedChain,
  startQueriedChain,
} from '../../support/blocks/queried-chain.ts'
import { PING_TOPIC } from '../../support/devnet/ping-contract.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

let on: QueriedChain

beforeAll(async () => {
  on = await startQueriedChain()
})

afterAll(() => on.headgate.stop())

describe('the answer', () => {
  test('says what would be delivered and for how much', async () => {
    const answer = await on.run('{ block { number logs { topics } t: transactions { hash } } }')
    const body = {
      webhookId: `wh_${'x'.repeat(16)}`,
      id: `whevt_${'x'.repeat(16)}`,
      createdAt: new Date(0).toISOString(),
      type: 'GRAPHQL',
      event: { data: answer.data, sequenceNumber: '1000000000001', network: 'ETH_DEVNET' },
    }
    const bytes = JSON.stringify(body).length
    expect(answer).toEqual({
      data: answer.data,
      bytes,
      cu: (bytes * 4) / 100,
      matched: { logs: EMITTED.length + 1, t: 5 },
      empty: false,
      block: on.block,
    })
  })

  test('is empty when all lists are, and not when there are none', async () => {
    const none = `logs(filter: {addresses: "${NOBODY}"}) { data }`
    expect(await on.run(`{ block { number ${none} } }`)).toMatchObject({
      empty: true,
      matched: { logs: 0 },
      data: { block: { number: on.block.number, logs: [] } },
    })
    expect(await on.run('{ block { number } }')).toMatchObject({ empty: false, matched: {} })
  })

  test('costs nothing', async () => {
    await on.run('{ block { number } }')
    const { json } = await on.headgate.api('GET', '/api/usage/summary', undefined, on.token())
    expect(json.data.month_cu).toBe(0)
  })

  test('takes the team’s variables as they are stored', async () => {
    const query = `query ($places: [Address!], $events: [Bytes32!]!) { block {
      logs(filter: {addresses: $places, topics: [$events]}) { account { address } }
      transactions(filter: {addresses: [{to: $places}]}) { hash }
    } }`
    const before = await on.run(query)
    expect([before.matched, before.empty, before.variables]).toEqual([
      { logs: 0, transactions: 0 },
      true,
      ['places', 'events'],
    ])
    const { json } = await on.headgate.api('GET', '/api/team', undefined, on.token())
    const { database } = on.headgate.running.drivers
    const teamId = json.data.id
    await addItems(database, { teamId, name: 'places', kind: 'Address', items: [on.ping, NOBODY] })
    await addItems(database, { teamId, name: 'events', kind: 'Bytes32', items: [PING_TOPIC] })
    const after = await on.run(query)
    expect([after.matched, after.variables]).toEqual([{ logs: 1, transactions: 2 }, undefined])
  })
})

describe('the block', () => {
  const whichBlock = async (which: unknown, args = '') => {
    const graphql_query = `{ block${args} { number hash } }`
    const { status, json } = await on.testQuery({
      network: 'ETH_DEVNET',
      graphql_query,
      block: which,
    })
    return status === 200 ? json.data.block : [status, json.name]
  }

  test('is named by number or hash, in the body or in the query', async () => {
    const { number, hash } = on.block
    for (const which of [number, String(number), `0x${number.toString(16)}`, hash]) {
      expect(await whichBlock(which, '(number: 0)')).toEqual(on.block)
    }
    expect(await whichBlock(undefined, `(number: ${number})`)).toEqual(on.block)
    expect(await whichBlock(undefined, `(hash: "${hash}")`)).toEqual(on.block)
    expect(await whichBlock(0)).toMatchObject({ number: 0 })
  })

  test('is the newest when nobody names one', async () => {
    await on.mine()
    expect((await whichBlock(undefined)).number).toBe(Number(await on.ask('eth_blockNumber')))
  })

  test('is not found when the chain does not have it', async () => {
    for (const which of [1_000_000, '0xfffff', `0x${'ab'.repeat(32)}`]) {
      expect(await whichBlock(which)).toEqual([404, 'NotFound'])
    }
    expect(await whichBlock(undefined, '(number: 1000000)')).toEqual([404, 'NotFound'])
  })
})
