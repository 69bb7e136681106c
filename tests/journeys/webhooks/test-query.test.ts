// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  A,
  ALICE,
  B,
  BOB,
  CAROL,
  EMITTED,
  NOBODY,
  type QueriedChain,
  startQueriedChain,
} from '../../support/blocks/queried-chain.ts'
import { PING_REASON, PING_TOPIC } from '../../support/devnet/ping-contract.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

let on: QueriedChain

beforeAll(async () => {
  on = await startQueriedChain()
})

afterAll(() => on.headgate.stop())

describe('transactions', () => {
  test('come with their receipts, in the order of the block', async () => {
    const found = await on.rows(
      'transactions { hash index from { address } to { address } value status gasUsed }',
    )
    expect(found).toHaveLength(5)
    expect(found.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4])
    const paid = found.find(({ hash }: { hash: string }) => hash === on.sent.pays)
    expect(paid).toEqual({
      hash: on.sent.pays,
      index: Number((await on.receiptOf(on.sent.pays)).transactionIndex),
      from: { address: ALICE },
      to: { address: NOBODY },
      value: '0x7',
      status: 1,
      gasUsed: 21_000,
    })
  })

  test('that failed say so', async () => {
    const found = await on.rows('transactions { hash status logs { data } }')
    const failed = found.filter(({ status }: { status: number }) => status === 0)
    expect(failed).toEqual([{ hash: on.sent.fails, status: 0, logs: [] }])
  })

  test('that create a contract go to nobody and name it', async () => {
    const found = await on.rows('transactions { hash to { address } createdContract { address } }')
    const created = found.filter(({ to }: { to: unknown }) => to === null)
    const createdContract = { address: on.emitter }
    expect(created).toEqual([{ hash: on.sent.emits, to: null, createdContract }])
  })

  test.each<[string, () => string, () => string[]]>([
    ['a receiver', () => `[{to: "${NOBODY}"}]`, () => [on.sent.pays]],
    ['a sender', () => `[{from: "${BOB}"}]`, () => [on.sent.forwards]],
    ['both', () => `[{from: "${CAROL}", to: ["${on.ping}", "${NOBODY}"]}]`, () => [on.sent.fails]],
    ['both, in vain', () => `[{from: "${ALICE}", to: "${on.ping}"}]`, () => []],
    [
      'one or the other',
      () => `[{from: "${BOB}"}, {to: "${NOBODY}"}]`,
      () => [on.sent.forwards, on.sent.pays],
    ],
    ['anything', () => '[]', () => Object.values(on.sent)],
    [
      'an address in its checksum form',
      () => '{from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',
      () => [on.sent.forwards],
    ],
  ])('are found by %s', async (_title, addresses, expected) => {
    const found = await on.rows(`transactions(filter: {addresses: ${addresses()}}) { hash }`)
    const hashes = found.map(({ hash }: { hash: string }) => hash)
    expect(hashes.sort()).toEqual(expected().sort())
  })
})

describe('logs', () => {
  /** Written in letters: A stands for the topic A, AB for the topics A and B. */
  function inLetters(logs: { topics: string[] }[]): string[] {
    return logs.map(({ topics }) => topics.map((topic) => (topic === A ? 'A' : 'B')).join(''))
  }

  async function topicsFound(topics: string): Promise<string[]> {
    const filter = `{addresses: "${on.emitter}", topics: ${topics}}`
    return inLetters(await on.rows(`logs(filter: ${filter}) { topics }`))
  }

  const ALL = inLetters(EMITTED.map((topics) => ({ topics })))

  test.each([
    ['[]', ALL],
    ['A', ['A', 'AB', 'AABB', 'ABA']],
    ['[A]', ['A', 'AB', 'AABB', 'ABA']],
    ['[[A]]', ['A', 'AB', 'AABB', 'ABA']],
    ['[[], [B]]', ['AB', 'BB', 'ABA']],
    ['[null, B]', ['AB', 'BB', 'ABA']],
    ['[A, B]', ['AB', 'ABA']],
    ['[[A, B], [A, B]]', ['AB', 'BA', 'AABB', 'BB', 'ABA']],
    ['[[A, B]]', ALL.slice(1)],
    ['[[], [], A]', ['ABA']],
    ['[null, null, null, B]', ['AABB']],
    ['[[]]', ALL.slice(1)],
    ['[B, [], A]', []],
  ])('match topics %s as the node’s own eth_getLogs does', async (written, expected) => {
    const topics = written.replaceAll('A', `"${A}"`).replaceAll('B', `"${B}"`)
    expect(await topicsFound(topics)).toEqual(expected)

    // This node takes an empty list for nothing, where go-ethereum takes it for anything.
    const value = JSON.parse(topics, (_key, it) => (Array.isArray(it) && !it.length ? null : it))
    const asked = Array.isArray(value) ? value : value ? [value] : []
    const filter = { blockHash: on.block.hash, address: on.emitter, topics: asked }
    expect(inLetters(await on.ask('eth_getLogs', [filter]))).toEqual(expected)
  })

  test('match whatever the topics when these are null, and in capitals too', async () => {
    expect(await topicsFound('null')).toEqual(ALL)
    expect(await topicsFound(`"0x${'AA'.repeat(32)}"`)).toEqual(['A', 'AB', 'AABB', 'ABA'])
  })

  test('are found by address, any of several', async () => {
    const found = await on.rows(
      `logs(filter: {addresses: ["${NOBODY}", "${on.ping}"]}) { account { address } topics data }`,
    )
    const data = `0x${'2a'.padStart(64, '0')}`
    expect(found).toEqual([{ account: { address: on.ping }, topics: [PING_TOPIC], data }])
  })

  test('lead to their transaction and from there to its logs', async () => {
    const found = await on.rows(
      `logs(filter: {addresses: "${on.ping}"}) {
        transaction { hash logs { topics transaction { hash } } }
      }`,
    )
    const inner = { topics: [PING_TOPIC], transaction: { hash: on.sent.forwards } }
    expect(found).toEqual([{ transaction: { hash: on.sent.forwards, logs: [inner] } }])
  })

  test('are those of their transaction', async () => {
    const found = await on.rows('transactions { hash logs { topics } }')
    const emitted = found.find(({ hash }: { hash: string }) => hash === on.sent.emits)
    expect(emitted.logs).toEqual(EMITTED.map((topics) => ({ topics })))
  })
})

describe('internal calls', () => {
  const FIELDS =
    'type from { address } to { address } value error revertReason subtraceCount ' +
    'traceAddressPath transaction { hash }'

  async function callsOf(hash: string) {
    const found = await on.rows(`callTracerTraces { ${FIELDS} }`)
    return found.filter((call: { transaction: { hash: string } }) => call.transaction.hash === hash)
  }

  test('stand below the call that made them', async () => {
    const index = Number((await on.receiptOf(on.sent.forwards)).transactionIndex)
    const usual = { type: 'CALL', value: '0x2a', error: null, revertReason: null }
    const transaction = { hash: on.sent.forwards }
    expect(await callsOf(on.sent.forwards)).toEqual([
      {
        ...usual,
        from: { address: BOB },
        to: { address: on.forwarder },
        subtraceCount: 1,
        traceAddressPath: [],
        transaction,
      },
      {
        ...usual,
        from: { address: on.forwarder },
        to: { address: on.ping },
        subtraceCount: 0,
        traceAddressPath: [index],
        transaction,
      },
    ])
  })

  test('that failed say why, though their transaction did not', async () => {
    const [outer, inner] = await callsOf(on.sent.failsInside)
    expect([outer.error, inner.error, inner.revertReason]).toEqual([
      null,
      'execution reverted',
      PING_REASON,
    ])
  })

  test('are found by who is called', async () => {
    const pair = `{from: "${on.forwarder}", to: "${on.ping}"}`
    const found = await on.rows(
      `callTracerTraces(filter: {addresses: [${pair}]}) { transaction { hash } }`,
    )
    const hashes = found.map((call: { transaction: { hash: string } }) => call.transaction.hash)
    expect(hashes.sort()).toEqual([on.sent.failsInside, on.sent.forwards].sort())
  })

  test('tell of a creation', async () => {
    expect(await callsOf(on.sent.emits)).toMatchObject([
      { type: 'CREATE', to: { address: on.emitter }, subtraceCount: 0, traceAddressPath: [] },
    ])
  })
})
