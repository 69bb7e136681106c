import { describe, expect, test } from 'bun:test'
import {
  blockBody,
  SIGNING_KEY,
  signedHeaders,
} from '../../tests/support/deliveries/signed-delivery.ts'
import {
  type Delivery,
  memoryStore,
  openReceiver,
  type ReceiverOptions,
  type Taken,
} from './receiver.ts'

const NOW = 1_800_000_000_000
const NOW_S = NOW / 1000

/** The values that a missing or misspelt setting turns into. */
const WRONG_TOLERANCES: unknown[] = [Number.NaN, -1, Number.POSITIVE_INFINITY, '300', null, {}]

type Extra = { previous?: number; replay?: boolean; timestampS?: number }

/** A receiver, what was handed over to it, and a way to send it deliveries. */
function receiverWith(options: Partial<ReceiverOptions> = {}) {
  const taken: string[] = []
  const receiver = openReceiver({
    signingKeys: SIGNING_KEY,
    nowMs: () => NOW,
    onDelivery: ({ id }) => void taken.push(id),
    ...options,
  })
  const send = (body: string, { previous, replay, timestampS = NOW_S }: Extra = {}) => {
    const headers: Record<string, string> = signedHeaders({
      body,
      id: JSON.parse(body).id,
      timestampS,
    })
    if (previous !== undefined) headers['x-headgate-previous'] = `${previous}`
    if (replay) headers['x-headgate-replay'] = '1'
    return receiver.receive({ body, headers })
  }
  return { taken, send, receiver }
}

describe('a receiver', () => {
  test('hands a delivery over once, however often it comes', async () => {
    const { taken, send } = receiverWith()
    const body = blockBody('whevt_1', 7, 100)
    expect(await send(body)).toMatchObject({ kind: 'taken', status: 200 })
    expect(await send(body)).toMatchObject({ kind: 'repeat', status: 200 })
    expect(taken).toEqual(['whevt_1'])
  })

  test('hands it over once when two come at the same moment', async () => {
    const { taken, send } = receiverWith()
    const body = blockBody('whevt_1', 7, 100)
    const kinds = (await Promise.all([send(body), send(body), send(body)])).map((one) => one.kind)
    // Signatures are verified side by side, so any of them may be the first.
    expect(kinds.toSorted()).toEqual(['repeat', 'repeat', 'taken'])
    expect(taken).toEqual(['whevt_1'])
  })

  test('hands it over again when it could not be handled, and only then', async () => {
    let failures = 2
    const { send } = receiverWith({
      onDelivery() {
        if (failures-- > 0) throw new Error('the database is away')
      },
    })
    const body = blockBody('whevt_1', 7, 100)
    const both = await Promise.allSettled([send(body), send(body)])
    expect(both.map((one) => one.status)).toEqual(['rejected', 'rejected'])
    expect((await send(body)).kind).toBe('taken')
    expect((await send(body)).kind).toBe('repeat')
  })

  test('hands over the newest version of a block and drops older ones that come late', async () => {
    const { taken, send } = receiverWith()
    expect((await send(blockBody('whevt_b', 7, 1000))).kind).toBe('taken')
    const late = await send(blockBody('whevt_a', 7, 999))
    expect(late).toMatchObject({ kind: 'stale', status: 200, newest: '1000' })
    expect((await send(blockBody('whevt_a', 7, 999))).kind).toBe('repeat')
    expect((await send(blockBody('whevt_c', 7, 10_000))).kind).toBe('taken')
    expect((await send(blockBody('whevt_d', 6, 5))).kind).toBe('taken')
    expect(taken).toEqual(['whevt_b', 'whevt_c', 'whevt_d'])
  })

  test('compares sequence numbers as numbers, beyond what doubles can hold', async () => {
    const { taken, send } = receiverWith()
    await send(blockBody('whevt_a', 7, '9007199254740993'))
    expect((await send(blockBody('whevt_b', 7, '9007199254740992'))).kind).toBe('stale')
    expect(taken).toEqual(['whevt_a'])
  })

  test('finishes one version of a block before it begins the next', async () => {
    const order: string[] = []
    const { send } = receiverWith({
      async onDelivery({ id }) {
        order.push(`begin ${id}`)
        await Promise.resolve()
        order.push(`end ${id}`)
      },
    })
    await Promise.all([send(blockBody('whevt_a', 7, 1)), send(blockBody('whevt_b', 7, 2))])
    // Whichever is verified first; an older version that comes second is not handed over.
    const begun = order.filter((_, at) => at % 2 === 0)
    expect(begun.length).toBeGreaterThan(0)
    expect(order).toEqual(begun.flatMap((begin) => [begin, begin.replace('begin', 'end')]))
  })

  test('takes every version when the query does not ask for the number of the block', async () => {
    const { taken, send } = receiverWith()
    await send(blockBody('whevt_b', null, 1000))
    await send(blockBody('whevt_a', null, 999))
    expect(taken).toEqual(['whevt_b', 'whevt_a'])
  })

  test('says which delivery is missing', async () => {
    const missing: (string | null)[] = []
    const { send } = receiverWith({
      onDelivery: (_delivery, notes) => void missing.push(notes.missing),
    })
    // The first one ever has nothing to compare with.
    await send(blockBody('whevt_3', 3, 103), { previous: 102 })
    await send(blockBody('whevt_4', 4, 104), { previous: 103 })
    await send(blockBody('whevt_6', 6, 106), { previous: 105 })
    await send(blockBody('whevt_5', 5, 105), { previous: 104 })
    await send(blockBody('whevt_7', 7, 107), { previous: 106 })
    await send(blockBody('whevt_1', 1, 101), { previous: 50, replay: true })
    expect(missing).toEqual([null, null, '105', null, null, null])
  })

  test('drops replays of what it has, unless it wants them', async () => {
    const body = blockBody('whevt_1', 7, 100)
    const plain = receiverWith()
    await plain.send(body)
    expect((await plain.send(body, { replay: true })).kind).toBe('repeat')

    const wanting = receiverWith({ takeReplays: true })
    await wanting.send(body, { timestampS: NOW_S - 2 })
    expect((await wanting.send(body, { replay: true })).kind).toBe('taken')
    expect((await wanting.send(body)).kind).toBe('repeat')
    expect(wanting.taken).toEqual(['whevt_1', 'whevt_1'])
  })

  test('drops a recorded request, also when somebody marks it as a replay', async () => {
    const { taken, send } = receiverWith({ takeReplays: true })
    const body = blockBody('whevt_1', 7, 100)
    // The first attempt was taken, but its answer was lost, so that a second one came.
    await send(body, { timestampS: NOW_S - 4 })
    await send(body, { timestampS: NOW_S - 3 })
    const recorded = [NOW_S - 5, NOW_S - 4, NOW_S - 3]
    for (const timestampS of [...recorded, ...recorded]) {
      expect((await send(body, { replay: true, timestampS })).kind).toBe('repeat')
    }

    // A replay of the service is signed anew, and once taken it is a recording like the others.
    const replay = { replay: true, timestampS: NOW_S - 1 }
    expect((await send(body, replay)).kind).toBe('taken')
    expect((await send(body, replay)).kind).toBe('repeat')
    expect((await send(body, { ...replay, timestampS: NOW_S - 2 })).kind).toBe('repeat')
    expect(taken).toEqual(['whevt_1', 'whevt_1'])
  })

  test('takes a replay again that could not be handled', async () => {
    let isAway = false
    const { send } = receiverWith({
      takeReplays: true,
      onDelivery() {
        if (isAway) throw new Error('the database is away')
      },
    })
    const body = blockBody('whevt_1', 7, 100)
    await send(body, { timestampS: NOW_S - 2 })
    isAway = true
    await expect(send(body, { replay: true, timestampS: NOW_S - 1 })).rejects.toThrow('away')
    isAway = false
    expect((await send(body, { replay: true })).kind).toBe('taken')
  })

  test('takes no replay without a signed time', async () => {
    const { taken, receiver } = receiverWith({ takeReplays: true, acceptUntimed: true })
    const body = blockBody('whevt_1', 7, 100)
    const signed = signedHeaders({ body, id: 'whevt_1', timestampS: NOW_S })
    const headers = { 'x-service-signature': signed['x-service-signature'] }
    await receiver.receive({ body, headers })
    const again = { body, headers: { ...headers, 'x-headgate-replay': '1' } }
    expect((await receiver.receive(again)).kind).toBe('repeat')
    expect(taken).toEqual(['whevt_1'])
  })

  test('hands over what the service has to say', async () => {
    const heard: Delivery[] = []
    const { send } = receiverWith({ onDelivery: (delivery) => void heard.push(delivery) })
    const event = { error: 'Monthly capacity limit exceeded.' }
    const body = JSON.stringify({ webhookId: 'wh_1', id: 'whevt_1', createdAt: '', event })
    expect((await send(body)).kind).toBe('taken')
    expect((await send(body)).kind).toBe('repeat')
    expect(heard).toMatchObject([{ kind: 'error', error: 'Monthly capacity limit exceeded.' }])
  })

  test("refuses what is not the service's, and hands over none of it", async () => {
    const { taken, send, receiver } = receiverWith()
    const body = blockBody('whevt_1', 7, 100)
    const old = await send(body, { timestampS: NOW_S - 301 })
    expect(old).toMatchObject({ kind: 'refused', status: 401 })
    expect(await receiver.receive({ body, headers: {} })).toMatchObject({ status: 401 })
    expect(await send(blockBody('whevt_1', 7, 'x'))).toMatchObject({ kind: 'refused', status: 400 })
    expect(taken).toEqual([])
  })

  test('answers 503 when too much is under way, and goes on after that', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { send } = receiverWith({ onDelivery: () => promise })
    const waiting = Array.from({ length: 1000 }, (_, at) => send(blockBody(`whevt_${at}`, at, at)))
    expect(await send(blockBody('whevt_more', 5000, 5000))).toEqual({ kind: 'busy', status: 503 })
    resolve()
    expect((await Promise.all(waiting)).every((one) => one.kind === 'taken')).toBe(true)
    expect((await send(blockBody('whevt_more', 5000, 5000))).kind).toBe('taken')
  })

  test('does not open with a key that cannot be one', () => {
    expect(() => receiverWith({ signingKeys: [] })).toThrow('signingKeys')
  })

  test.each(WRONG_TOLERANCES)('does not open with a tolerance of %p', (toleranceS) => {
    expect(() => receiverWith({ toleranceS: toleranceS as number })).toThrow(TypeError)
  })
})

describe('the store in memory', () => {
  test('forgets the oldest first and keeps its size', () => {
    const store = memoryStore(3)
    for (const number of [1, 2, 3, 1, 4]) {
      const numbers = [{ name: `b${number}`, number: `${number}` }]
      store.remember({ marks: [`m${number}`], numbers })
    }
    expect(['m1', 'm2', 'm3', 'm4'].map((mark) => store.knows(mark))).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(store.highest('b4')).toBe('4')
  })

  test('never lowers the number of a block', () => {
    const store = memoryStore()
    for (const number of ['9', '10', '2']) {
      store.remember({ marks: [], numbers: [{ name: 'b', number }] })
    }
    expect(store.highest('b')).toBe('10')
  })
})

test('another store can stand in, in a database for example', async () => {
  const rows = new Map<string, string>()
  const store = {
    knows: async (mark: string) => rows.has(mark),
    highest: async (name: string) => rows.get(name) ?? null,
    remember: async ({ marks, numbers }: Taken) => {
      for (const mark of marks) rows.set(mark, '')
      for (const { name, number } of numbers) rows.set(name, number)
    },
  }
  await receiverWith({ store }).send(blockBody('whevt_1', 7, 100))
  const restarted = receiverWith({ store })
  expect((await restarted.send(blockBody('whevt_1', 7, 100))).kind).toBe('repeat')
  expect((await restarted.send(blockBody('whevt_0', 7, 99))).kind).toBe('stale')
})
