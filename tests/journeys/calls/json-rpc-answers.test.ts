// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { NodeError, replyInBytes, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const node = startFakeNode('node-a')
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
})

beforeEach(() => {
  node.misbehave = null
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

async function post(body: unknown) {
  const answer = await headgate.post(body)
  expectRpcAnswer(answer)
  return answer
}

/** Has the node answer one method with these very bytes. */
function nodeAnswers(method: string, member: string): void {
  node.misbehave = (asked, body) => (asked === method ? replyInBytes(body, member) : null)
}

const DIGITS = '18446744073709551615,1.10,-0,1e-7,0.1000000000000000055511151231257827'

const ERRORS: [what: string, errorText: string][] = [
  ['a revert', '{"code":3,"message":"execution reverted: no","data":"0x08c379a0ffff"}'],
  ['data of any shape', `{"code":-32000,"message":"x","data":{"b":[${DIGITS}],"a":null}}`],
  ['odd spacing and order', '{ "message" : "insufficient funds" , "code" : -32000 }'],
  ['members of its own', '{"code":-32000,"message":"x","name":"E","stack":["a"]}'],
  ['a message in escapes', '{"code":-32000,"message":"caf\\u00e9 \\"q\\" \\ud83d"}'],
  ['wrong params', '{"code":-32602,"message":"invalid argument 0: hex string"}'],
  ['an internal error', '{"code":-32603,"message":"Internal error"}'],
  ['a node behind', '{"code":-32000,"message":"header not found"}'],
  ['a missing method', '{"code":-32601,"message":"the method test_getIt does not exist"}'],
  ['a code of its own', '{"code":-39999,"message":"never seen"}'],
  ['no message', '{"code":-32000}'],
]

describe('an error of the node comes back untouched with HTTP 200', () => {
  test.each(ERRORS)('%s', async (_what, errorText) => {
    nodeAnswers('test_getIt', `"error":${errorText}`)
    const { status, text } = await headgate.post(rpc('test_getIt', [], 'mine'))
    expect(status).toBe(200)
    expect(text).toBe(`{"jsonrpc":"2.0","id":"mine","error":${errorText}}`)
  })

  test.each(ERRORS)('%s, in a batch', async (_what, errorText) => {
    nodeAnswers('eth_call', `"error":${errorText}`)
    const call = (id: number) => rpc('eth_call', [{ data: `0x0${id}` }, 'latest'], id)
    const { status, text } = await headgate.post([call(1), call(2)])
    expect(status).toBe(200)
    const reply = (id: number) => `{"jsonrpc":"2.0","id":${id},"error":${errorText}}`
    expect(text).toBe(`[${reply(1)},${reply(2)}]`)
  })

  test('and is never kept: the next call is asked anew', async () => {
    nodeAnswers('eth_getCode', '"error":{"code":-32000,"message":"header not found"}')
    await post(rpc('eth_getCode', ['0x00', 'latest']))
    node.misbehave = null
    node.answers.eth_getCode = '0x60'
    const { json } = await post(rpc('eth_getCode', ['0x00', 'latest']))
    expect(json.result).toBe('0x60')
  })

  test('a method the node does not have costs nothing, another error the method’s price', async () => {
    const unknown = await post(rpc('eth_noSuchThing'))
    expect([unknown.status, unknown.json.error.code]).toEqual([200, -32601])
    expect(unknown.headers.get('x-headgate-cu')).toBe('0')
    node.answers.eth_call = () => {
      throw new NodeError(3, 'execution reverted', '0x')
    }
    const reverted = await post(rpc('eth_call', [{}, 'latest']))
    expect(reverted.headers.get('x-headgate-cu')).toBe('26')
  })
})

describe('a result comes back untouched', () => {
  test.each([
    ['numbers beyond doubles', `[${DIGITS}]`],
    ['null', 'null'],
    ['false', 'false'],
    ['an empty string', '""'],
    ['zero', '0'],
    ['odd spacing', '{ "b" : 1 ,\n"a":[ ] }'],
    ['members named like the envelope’s', '{"id":5,"jsonrpc":"1.0","error":{"code":1}}'],
    ['names twice', '{"a":1,"a":2}'],
    ['escapes', '"\\u00e9\\/\\ud83d\\ude00\\u2028"'],
    ['depth beyond what we take from clients', `${'['.repeat(500)}${']'.repeat(500)}`],
  ])('%s', async (_what, resultText) => {
    nodeAnswers('test_getIt', `"result":${resultText}`)
    const { status, text } = await headgate.post(rpc('test_getIt', [], 'mine'))
    expect(status).toBe(200)
    expect(text).toBe(`{"jsonrpc":"2.0","id":"mine","result":${resultText}}`)
  })

  test('however big, alone and in a batch', async () => {
    const big = `[${Array(30_000).fill(DIGITS).join(' , ')},"\\"]}é"]`
    nodeAnswers('test_getIt', `"result":${big}`)
    const alone = await headgate.post(rpc('test_getIt', [], 1))
    expect(alone.text === `{"jsonrpc":"2.0","id":1,"result":${big}}`).toBe(true)
    const { text } = await headgate.post([rpc('test_getIt', [], 1), rpc('eth_chainId', [], 2)])
    const chainId = '{"jsonrpc":"2.0","id":2,"result":"0x1"}'
    expect(text === `[{"jsonrpc":"2.0","id":1,"result":${big}},${chainId}]`).toBe(true)
  })

  test('a node may put its result before its id', async () => {
    node.misbehave = (method, body) => {
      if (method !== 'test_getIt') return null
      const { id } = JSON.parse(body) as { id: number }
      return Response.json({ result: '0x1', id, jsonrpc: '2.0' })
    }
    const { json } = await post(rpc('test_getIt', [], 'mine'))
    expect(json).toEqual({ jsonrpc: '2.0', id: 'mine', result: '0x1' })
  })
})

describe('ids stay on their side', () => {
  test('a client’s id never reaches the node, a node’s never the client', async () => {
    node.calls.length = 0
    node.answers.eth_accounts = []
    await post(rpc('eth_accounts', [], 'client-id-77'))
    await post([rpc('eth_accounts', [], 'client-id-78'), rpc('eth_syncing', [], 900_000_001)])
    const ids = node.calls.map(({ id }) => id)
    expect(node.callsOf('eth_accounts')).toBe(2)
    expect(ids.every((id) => Number.isInteger(id) && Number(id) < 900_000_000)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('two clients with the same id get each their own answer', async () => {
    node.answers.test_getEcho = (params: unknown[]) => params[0]
    const asked = Array.from({ length: 50 }, (_, at) => at)
    const answers = await Promise.all(asked.map((at) => post(rpc('test_getEcho', [at], 1))))
    expect(answers.map(({ json }) => json.result)).toEqual(asked)
  })

  test('no header of a client reaches the node', async () => {
    node.calls.length = 0
    await headgate.post(rpc('eth_accounts'), {
      headers: { cookie: 'session=1', authorization: 'Bearer x', 'x-mine': '1' },
    })
    const [call] = node.calls.filter(({ method }) => method === 'eth_accounts')
    for (const name of ['cookie', 'authorization', 'x-mine', 'x-forwarded-for']) {
      expect(call?.headers.get(name) ?? null).toBeNull()
    }
  })
})

describe('the headers of an answer', () => {
  test('tell a miss from a hit, and the hit costs the same', async () => {
    const ask = () => post(rpc('eth_getBlockByNumber', ['0x10', false]))
    const [miss, hit] = [await ask(), await ask()]
    expect(miss.headers.get('x-headgate-cache')).toBe('miss')
    expect(hit.headers.get('x-headgate-cache')).toBe('hit')
    expect(hit.json).toEqual(miss.json)
    for (const { headers } of [miss, hit]) {
      expect(headers.get('x-headgate-cu')).toBe('20')
      expect(headers.get('x-headgate-upstream')).toBe('node-a')
    }
  })

  test('tell who shared an answer that was under way', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    node.misbehave = (method) => (method === 'eth_getBalance' ? released.then(() => null) : null)
    const asked = node.callsOf('eth_getBalance')
    const ask = () => post(rpc('eth_getBalance', ['0xcc', 'latest']))
    const both = [ask(), ask()]
    await until(() => node.callsOf('eth_getBalance') > asked, 'the first one is under way')
    release()
    const words = (await Promise.all(both)).map(({ headers }) => headers.get('x-headgate-cache'))
    expect(words.sort()).toEqual(['coalesced', 'miss'])
    expect(node.callsOf('eth_getBalance')).toBe(asked + 1)
  })
})

test('the log names each request, and neither a key nor a node’s address', async () => {
  const { headers } = await post(rpc('eth_gasPrice'))
  await post(rpc('eth_gasPrice'))
  await headgate.running.drivers.telemetry.flush()
  const log = headgate.logText()
  expect(log).toContain(headers.get('x-request-id') ?? '?')
  for (const secret of [headgate.appKey, headgate.teamToken, headgate.operatorToken, node.url]) {
    expect(log).not.toContain(secret)
  }
  expect(log).not.toContain('secret-path-of-')
})

test('each member of a batch is counted in /metrics by its method and outcome', async () => {
  const [count, storage, gas] = ['eth_getTransactionCount', 'eth_getStorageAt', 'eth_estimateGas']
  node.answers = { ...node.answers, [count]: '0x1', [storage]: '0x2' }
  nodeAnswers(gas, '"error":{"code":-32000,"message":"no"}')
  const methods = [count, storage, storage, count, count, gas, gas, count, 'admin_peers']
  await post(methods.map((method, id) => rpc(method, [`0x0${id}`], id)))
  const metrics = await (await fetch(`${headgate.url}/metrics`)).text()
  const counted = (method: string, outcome: string) =>
    new RegExp(`calls_total{method="${method}",.*outcome="${outcome}"} (\\d+)`).exec(metrics)?.[1]
  expect(counted(count, 'ok')).toBe('4')
  expect(counted(storage, 'ok')).toBe('2')
  expect(counted(gas, 'node_error')).toBe('2')
  expect(counted('other', 'method_not_served')).toBe('1')
})
