import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { hang, NodeError, replyInBytes, startFakeNode } from '../../support/nodes/fake-node.ts'
import {
  addressAt,
  balanceOf,
  type PoolJourney,
  poolJourney,
} from '../../support/nodes/pool-journey.ts'
import { rpc, until } from '../../support/product/headgate.ts'

setDefaultTimeout(180_000)

const nodes = ['a', 'b', 'c', 'spare'].map((name) => startFakeNode(name))
const [a, b, c, spare] = nodes as [Node, Node, Node, Node]
type Node = ReturnType<typeof startFakeNode>

const QUORUM = { methods: ['eth_*', 'debug_traceCall'], of: 3, agree: 2 }
const WRONG = '0xbad'
let journey: PoolJourney
let asked = 0

beforeAll(async () => {
  const upstreams = [{}, {}, { timeoutMs: 5000 }, { priority: 1 }]
  // Heads are told once, so that a busy machine makes no node look late.
  const network = { quorum: QUORUM, headPollMs: 30_000 }
  journey = await poolJourney(nodes, { upstreams, network })
  await journey.allHealthy()
})
afterAll(() => journey.stop())

beforeEach(() => {
  for (const node of nodes) {
    node.misbehave = null
    node.answers = { eth_getBalance: ([address]: [string]) => balanceOf(address) }
    node.calls.length = 0
  }
})

/** A read that no answer in a cache is for. */
function read(block: unknown = 'latest') {
  const address = addressAt(++asked)
  return { address, call: rpc('eth_getBalance', [address, block], asked) }
}

const disagreements = async (node: Node) => {
  const report = (await journey.report(node.name)) as unknown as Record<string, unknown>
  return report.disagreements as number
}

test('nodes agree however they spell an answer', async () => {
  const spelled = ['{"x":"0xAB","y":[1]}', '{"y":[1],"x":"0xab"}', '{"x":"0xaB", "y": [ 1 ]}']
  for (const [at, node] of [a, b, c].entries()) {
    node.misbehave = (method, body) =>
      method === 'eth_getBalance' ? replyInBytes(body, `"result":${spelled[at]}`) : null
  }
  const { json } = await journey.gate.post(read().call)
  expect(json.result.x.toLowerCase()).toBe('0xab')
  expect(await Promise.all(nodes.map(disagreements))).toEqual([0, 0, 0, 0])
})

describe('a lying upstream under quorum', () => {
  test('never gives the answer, and its name is in the report, the log and the metrics', async () => {
    c.answers.eth_getBalance = WRONG
    const before = await disagreements(c)
    for (let round = 0; round < 10; round++) {
      const { address, call } = read()
      const { status, json, headers } = await journey.gate.post(call)
      expect({ status, result: json.result }).toEqual({ status: 200, result: balanceOf(address) })
      expect(headers.get('x-headgate-cu')).toBe('20')
    }
    // Answers that came after the decision are compared too.
    await until(async () => (await disagreements(c)) === before + 10, 'every lie is counted')
    expect(await disagreements(a)).toBe(0)
    const report = await journey.report('c')
    expect(report).toMatchObject({ state: 'used', last_disagreement: 'eth_getBalance' })
    const said = '"event":"upstream_disagreed","network":"ETH_MAINNET","upstream":"c"'
    await until(() => journey.gate.logText().includes(said), 'the log names it')
    const { text } = await journey.gate.api('GET', '/metrics')
    expect(text).toContain(
      'headgate_upstream_disagreements_total{network="ETH_MAINNET",upstream="c"}',
    )
  })

  test.each([a, b, c])('is out-voted in a batch and in a long answer too: $name', async (liar) => {
    const blob = `0x${'AB'.repeat(200_000)}`
    const spelled = [
      { blob, last: '0xAA' },
      { last: '0xaa', blob: blob.toLowerCase() },
    ]
    for (const [at, node] of [a, b, c].entries()) {
      node.answers.debug_traceCall = node === liar ? { blob, last: WRONG } : spelled[at % 2]
    }
    liar.answers.eth_getBalance = WRONG
    const { address, call } = read()
    const batch = [call, rpc('debug_traceCall', [{}, 'latest'], 'long')]
    const { json } = await journey.gate.post(batch)
    expect(json[0].result).toBe(balanceOf(address))
    expect(json[1].result.last.toLowerCase()).toBe('0xaa')
  })
})

test('nodes that disagree are said to, for no compute units', async () => {
  for (const [at, node] of nodes.entries()) node.answers.eth_getBalance = `0x${at}`
  const { status, json, headers } = await journey.gate.post(read().call)
  expect({ status, error: json.error }).toEqual({
    status: 503,
    error: { code: -32603, message: 'The ETH_MAINNET nodes disagree; please try again.' },
  })
  expect(headers.get('x-headgate-cu')).toBe('0')
})

test('numbers that a double cannot hold apart are two answers', async () => {
  const digits = ['18446744073709551615', '18446744073709551614', '18446744073709551613']
  for (const [at, node] of [a, b, c].entries()) {
    node.misbehave = (method, body) =>
      method === 'eth_getBalance' ? replyInBytes(body, `"result":${digits[at]}`) : null
  }
  expect((await journey.gate.post(read().call)).status).toBe(503)
})

describe('an upstream that gives no answer is replaced by another', () => {
  test.each([
    ['breaks', () => new Response('gone', { status: 502 })],
    ['hangs', () => hang()],
    ['is behind', (body: string) => replyInBytes(body, HEADER_NOT_FOUND)],
  ])('when it %s', async (_how, answer) => {
    // Of the two that are left one lies, so that nothing is decided without the spare one.
    c.misbehave = (method, body) => (method === 'eth_getBalance' ? answer(body) : null)
    b.answers.eth_getBalance = WRONG
    const before = await disagreements(c)
    const { address, call } = read()
    const { json } = await journey.gate.post(call)
    expect(json.result).toBe(balanceOf(address))
    expect(spare.callsOf('eth_getBalance')).toBe(1)
    expect(await disagreements(c)).toBe(before)
  })

  test('and their own words are passed on where none can answer', async () => {
    const { json, status } = await journey.gate.post(rpc('eth_nowhere', []))
    expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32601 })
  })

  test('until too few are left', async () => {
    for (const node of [a, b, c]) {
      node.misbehave = (method) =>
        method === 'eth_getBalance' ? new Response('gone', { status: 502 }) : null
    }
    const { status, json } = await journey.gate.post(read().call)
    const message = 'Too few ETH_MAINNET nodes answered to agree; please try again.'
    expect({ status, error: json.error }).toEqual({ status: 503, error: { code: -32603, message } })
  })
})

test('an error that all nodes give in words of their own is an answer', async () => {
  a.answers.eth_call = says(3, 'execution reverted: no', '0xAB')
  b.answers.eth_call = says(-32000, 'VM Exception: reverted with no', '0xab')
  c.answers.eth_call = '0x01'
  const { status, json } = await journey.gate.post(rpc('eth_call', [{ to: addressAt(++asked) }]))
  expect({ status, data: json.error.data.toLowerCase() }).toEqual({ status: 200, data: '0xab' })
})

test('the head is asked for by its number, so that all nodes speak of one block', async () => {
  const { call } = read()
  await journey.gate.post(call)
  const heads = () =>
    nodes.flatMap(({ calls }) =>
      calls.filter(({ method }) => method === 'eth_getBalance').map(({ params }) => params[1]),
    )
  // The answer goes out when two agree, perhaps before the third was reached.
  await until(() => heads().length >= 3, 'three nodes were asked')
  expect(new Set(heads())).toEqual(new Set(['0x3e8']))
})

test('what honest nodes answer differently is asked of one of them', async () => {
  for (const node of nodes) node.answers.eth_getTransactionCount = '0x1'
  await journey.gate.post(rpc('eth_gasPrice'))
  // Not a balance: where the usual time of a method is known, a late answer is asked for twice.
  await journey.gate.post(rpc('eth_getTransactionCount', [addressAt(++asked), 'pending']))
  const count = (method: string) => nodes.reduce((sum, node) => sum + node.callsOf(method), 0)
  expect([count('eth_gasPrice'), count('eth_getTransactionCount')]).toEqual([1, 1])
})

test('a method that no rule names is asked of one', async () => {
  a.answers.net_peerCount = '0x5'
  b.answers.net_peerCount = '0x6'
  c.answers.net_peerCount = '0x7'
  const { status } = await journey.gate.post(rpc('net_peerCount'))
  expect(status).toBe(200)
})

describe('on a Solana network', () => {
  const voters = ['x', 'y', 'liar'].map((name) => startFakeNode(name))
  const [x, y, liar] = voters as [Node, Node, Node]
  let solana: PoolJourney
  beforeAll(async () => {
    const quorum = { methods: ['getBalance', 'getTransaction'] }
    const network = { kind: 'solana', chainId: undefined, headPollMs: 30_000, quorum }
    solana = await poolJourney(voters, { network })
    await solana.allHealthy()
  })
  afterAll(() => solana.stop())

  const accused = async () => {
    const reports = await Promise.all(voters.map(({ name }) => solana.report(name)))
    return reports.map((report) => (report as unknown as { disagreements: number }).disagreements)
  }

  test('nodes at different slots agree on a value, to its last digit', async () => {
    const tell = (node: Node, slot: number, value: string) => {
      node.misbehave = (method, body) =>
        method === 'getBalance'
          ? replyInBytes(body, `"result":{"context":{"slot":${slot}},"value":${value}}`)
          : null
    }
    tell(x, 1000, '18446744073709551615')
    tell(y, 1001, '18446744073709551615')
    tell(liar, 1001, '18446744073709551614')
    const { text } = await solana.gate.post(rpc('getBalance', [`${'1'.repeat(32)}`]))
    expect(text).toContain('"value":18446744073709551615}')
    await until(async () => (await accused())[2] === 1, 'it lied about a slot that others told')
    tell(liar, 1002, '5')
    await solana.gate.post(rpc('getBalance', [`${'1'.repeat(31)}2`]))
    expect(await accused()).toEqual([0, 0, 1])
  })

  test('a transaction of the past has one form', async () => {
    for (const node of voters) node.answers.getTransaction = { slot: 5, meta: { fee: 5000 } }
    liar.answers.getTransaction = { slot: 5, meta: { fee: 1 } }
    const { json } = await solana.gate.post(rpc('getTransaction', ['5'.repeat(64)]))
    expect(json.result.meta.fee).toBe(5000)
    await until(async () => (await accused())[2] === 2, 'its name is in the report')
  })
})

const HEADER_NOT_FOUND = '"error":{"code":-32000,"message":"header not found"}'

function says(code: number, message: string, data: string) {
  return () => {
    throw new NodeError(code, message, data)
  }
}
