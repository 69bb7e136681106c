// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACED = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'congo=t61rcWkgMzE' }

let node: FakeNode
let headgate: TestHeadgate
let nonce = 0

beforeAll(async () => {
  node = startFakeNode('first')
  node.answers.eth_getBalance = '0x1'
  headgate = await startHeadgate({ nodes: [node] })
})

beforeEach(() => void node.calls.splice(0))

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

/** A call that nobody has made before, so that it reaches the node. */
function fresh() {
  nonce += 1
  return rpc('eth_getBalance', [`0x${String(nonce).padStart(40, '0')}`, 'latest'], nonce)
}

/** The headers that the node was sent with calls; polls do not count. */
function received(name: string): (string | null)[] {
  const calls = node.calls.filter(({ method }) => method === 'eth_getBalance')
  return calls.map(({ headers }) => headers.get(name))
}

async function logLine(headers: Headers): Promise<Record<string, unknown>> {
  const id = headers.get('x-request-id') ?? ''
  await until(() => headgate.logText().includes(`"${id}"`), 'the request is in the log')
  const line =
    headgate
      .logText()
      .split('\n')
      .find((text) => text.includes(`"${id}"`)) ?? ''
  return JSON.parse(line)
}

describe('a call of a traced request', () => {
  test('reaches the node in the same trace, below a span of ours', async () => {
    const answer = await headgate.post(fresh(), { headers: TRACED })
    expect(answer.json.result).toBe('0x1')
    const [traceparent = ''] = received('traceparent')
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(traceparent).not.toContain(PARENT)
    expect(received('tracestate')).toEqual([TRACED.tracestate])
    expect(await logLine(answer.headers)).toMatchObject({ event: 'rpc', trace_id: TRACE })
  })

  test('has a span of its own for each request', async () => {
    for (let at = 0; at < 3; at++) await headgate.post(fresh(), { headers: TRACED })
    expect(new Set(received('traceparent')).size).toBe(3)
  })

  test('travels so in a batch too, and as a write', async () => {
    const answer = await headgate.post([fresh(), fresh()], { headers: TRACED })
    const [first, second] = received('traceparent')
    expect(first).toContain(TRACE)
    expect(second).toBe(first ?? '')
    expect(await logLine(answer.headers)).toMatchObject({ method: 'batch', trace_id: TRACE })
    node.answers.eth_sendRawTransaction = `0x${'1'.repeat(64)}`
    await headgate.post(rpc('eth_sendRawTransaction', ['0x02']), { headers: TRACED })
    const write = node.calls.find(({ method }) => method === 'eth_sendRawTransaction')
    expect(write?.headers.get('traceparent')).toContain(TRACE)
  })

  test('is in the log with its trace when it is refused', async () => {
    const answer = await headgate.post(fresh(), { key: 'nobody', headers: TRACED })
    expect(answer.status).toBe(401)
    expect(await logLine(answer.headers)).toMatchObject({ trace_id: TRACE })
  })
})

describe('a request', () => {
  test('without a trace gets none', async () => {
    const answer = await headgate.post(fresh(), { headers: { tracestate: 'a=1' } })
    expect(received('traceparent')).toEqual([null])
    expect(received('tracestate')).toEqual([null])
    expect(await logLine(answer.headers)).not.toHaveProperty('trace_id')
  })

  test('does not get the trace of the one before it', async () => {
    await headgate.post(fresh(), { headers: TRACED })
    await headgate.post(fresh())
    expect(received('traceparent').map((text) => text === null)).toEqual([false, true])
  })

  test.each([
    ['zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['capitals', TRACED.traceparent.toUpperCase()],
    ['JSON that wants into the log', '","level":"error'],
    ['a long one', `01-${TRACE}-${PARENT}-01-${'x'.repeat(8000)}`],
    ['two', `${TRACED.traceparent}, ${TRACED.traceparent}`],
  ])('with a trace that is none is answered without: %s', async (_title, traceparent) => {
    const headers = { ...TRACED, traceparent }
    const answer = await headgate.post(fresh(), { headers })
    expect(answer.json.result).toBe('0x1')
    expect(received('traceparent')).toEqual([null])
    expect(received('tracestate')).toEqual([null])
    expect(await logLine(answer.headers)).not.toHaveProperty('trace_id')
  })

  test('with a state that is too long keeps its trace', async () => {
    const headers = { ...TRACED, tracestate: `a=${'x'.repeat(600)}` }
    await headgate.post(fresh(), { headers })
    expect(received('traceparent')[0]).toContain(TRACE)
    expect(received('tracestate')).toEqual([null])
  })
})
