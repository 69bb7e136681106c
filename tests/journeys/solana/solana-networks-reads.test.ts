import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type FakeNode, replyInBytes, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { type Answer, rpc, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { asSolana, SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'

const U64_MAX = '18446744073709551615'

/** As a node writes an account; no double holds its numbers. */
const ACCOUNT = `{"data":["","base64"],"lamports":9007199254740993,"rentEpoch":${U64_MAX},"space":0}`
const RESULT = `{"context":{"apiVersion":"4.1.0","slot":1000},"value":${ACCOUNT}}`

/** Longer than what is held before it is passed on. */
const LONG_ACCOUNTS = 20_000

const CONFIGS = [
  `["key",{"minContextSlot":${U64_MAX}}]`,
  '["key", {"minContextSlot" : 9223372036854775807, "commitment":"processed"}]',
  `["key",{"dataSlice":{"offset":${U64_MAX},"length":9007199254740993}}]`,
]

let node: FakeNode
let journey: PoolJourney
let gate: TestHeadgate
let bodies: string[]
let answered: (body: string) => Response | Promise<Response>

beforeAll(async () => {
  node = asSolana(startFakeNode('node-s'))
  bodies = []
  node.misbehave = (method, body) => {
    if (method === 'getSlot' || method === 'getGenesisHash') return null
    bodies.push(body)
    return method === 'getAccountInfo' || method === 'getBalance' ? answered(body) : null
  }
  answered = (body) => replyInBytes(body, `"result":${RESULT}`)
  journey = await poolJourney([node], { network: SOLANA_NETWORK })
  gate = journey.gate
})

afterAll(() => journey.stop())

// Heavy methods travel alone, light ones together: both ways are tried.
describe.each(['getAccountInfo', 'getBalance'])('the numbers of a Solana node, %s', (method) => {
  test('reach the caller alone', async () => {
    expect((await ask(method)).text).toBe(reply(RESULT))
  })

  test('reach the caller in a batch', async () => {
    const { text } = await gate.post(`[${call(method, '["a"]')},${call(method, '["b"]')}]`)
    expect(text).toBe(`[${reply(RESULT)},${reply(RESULT)}]`)
  })

  test('reach all callers who share a call', async () => {
    const release = Promise.withResolvers<void>()
    answered = async (body) => {
      await release.promise
      return replyInBytes(body, `"result":${RESULT}`)
    }
    bodies.length = 0
    const calls = Array.from({ length: 5 }, () => ask(method, '["shared"]'))
    await untilHeld(['["shared"]'])
    release.resolve()
    const answers = await Promise.all(calls)
    answered = (body) => replyInBytes(body, `"result":${RESULT}`)
    for (const { text } of answers) expect(text).toBe(reply(RESULT))
    expect(answers.map(cacheWord)).toContain('coalesced')
  })

  test('reach the caller in an answer that is passed on as it comes', async () => {
    const long = `[${Array(LONG_ACCOUNTS).fill(ACCOUNT).join(',')}]`
    answered = (body) => replyInBytes(body, `"result":${long}`)
    const { text } = await ask(method, '["long"]')
    answered = (body) => replyInBytes(body, `"result":${RESULT}`)
    expect(text === reply(long)).toBe(true)
  })

  test('reach the caller within an error', async () => {
    const error = `{"code":-32602,"message":"no","data":{"contextSlot":${U64_MAX}}}`
    answered = (body) => replyInBytes(body, `"error":${error}`)
    const { text } = await ask(method, '["error"]')
    answered = (body) => replyInBytes(body, `"result":${RESULT}`)
    expect(text).toBe(`{"jsonrpc":"2.0","id":7,"error":${error}}`)
  })

  test.each(CONFIGS)('of the caller reach the node: %s', async (params) => {
    await ask(method, params)
    expect(bodies.at(-1)).toContain(`"params":${params}}`)
    bodies.length = 0
    await gate.post(`[${call(method, params)},${call(method, `${params.slice(0, -1)},1]`)}]`)
    expect(bodies.join()).toContain(`"params":${params}}`)
  })
})

describe('what a Solana node said', () => {
  test.each([
    ['getSlot', '[]'],
    ['getSlot', '[{"commitment":"finalized"}]'],
    ['getBlockHeight', '[]'],
    ['getLatestBlockhash', '[{"commitment":"confirmed"}]'],
    ['getBalance', '["key"]'],
    ['getAccountInfo', '["key",{"commitment":"processed"}]'],
    ['getHealth', '[]'],
  ])('is not kept for the next caller: %s %s', async (method, params) => {
    for (let round = 0; round < 3; round++) {
      expect(cacheWord(await ask(method, params))).toBe('miss')
    }
  })

  test('is never older than what the node has by now', async () => {
    for (let round = 0; round < 10; round++) {
      node.mine()
      const { json } = await gate.post(rpc('getSlot'))
      expect(json.result).toBe(node.head.number)
      const latest = await gate.post(rpc('getLatestBlockhash'))
      expect(latest.json.result.value.blockhash).toBe(`hash-of-${node.head.number}`)
    }
  })

  test('is shared by those who asked the very same, and by no others', async () => {
    const release = Promise.withResolvers<void>()
    answered = async (body) => {
      await release.promise
      return replyInBytes(body, `"result":"${/processed|confirmed|finalized/.exec(body)}"`)
    }
    const commitments = ['processed', 'confirmed', 'finalized', 'processed', 'confirmed']
    const calls = commitments.map((commitment) =>
      ask('getAccountInfo', `["same",{"commitment":"${commitment}"}]`),
    )
    await untilHeld(commitments.map((commitment) => `["same",{"commitment":"${commitment}"}]`))
    release.resolve()
    const answers = await Promise.all(calls)
    answered = (body) => replyInBytes(body, `"result":${RESULT}`)
    expect(answers.map(({ json }) => json.result)).toEqual(commitments)
    expect(answers.map(cacheWord)).toContain('coalesced')
  })

  test('before a transaction was sent is not shown to who asks after it', async () => {
    const release = Promise.withResolvers<void>()
    let isSent = false
    node.answers.sendTransaction = () => {
      isSent = true
      return 'signature'
    }
    answered = async (body) => {
      const value = isSent
      if (!value) await release.promise
      return replyInBytes(body, `"result":${value}`)
    }
    const before = ask('getAccountInfo', '["mine"]')
    while (!bodies.some((body) => body.includes('["mine"]'))) await Bun.sleep(1)
    await gate.post(rpc('sendTransaction', ['signed']))
    const after = await ask('getAccountInfo', '["mine"]')
    release.resolve()
    answered = (body) => replyInBytes(body, `"result":${RESULT}`)
    expect(after.json.result).toBe(true)
    expect((await before).json.result).toBe(false)
  })
})

describe('a batch', () => {
  test('travels in bodies that a Solana node takes', async () => {
    const limited: number[] = []
    const before = node.misbehave
    node.misbehave = (method, body) => {
      if (method !== 'getFees') return null
      limited.push(body.length)
      return body.length > 50 * 1024
        ? new Response('too large', { status: 413 })
        : replyInBytes(body, `"result":${U64_MAX}`)
    }
    const key = 'k'.repeat(2_000)
    const calls = Array.from({ length: 100 }, (_, at) => rpc('getFees', [key, at], at))
    const { text } = await gate.post(calls)
    node.misbehave = before
    const replies = calls.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${U64_MAX}}`)
    expect(text).toBe(`[${replies.join(',')}]`)
    expect(Math.max(...limited)).toBeLessThanOrEqual(50 * 1024)
    // As few as can be: 200 KB take five bodies.
    expect(limited.length).toBe(5)
  })
})

function call(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`
}

function ask(method: string, params = '["key"]'): Promise<Answer> {
  return gate.post(call(method, params))
}

function reply(result: string): string {
  return `{"jsonrpc":"2.0","id":7,"result":${result}}`
}

function cacheWord({ headers }: Answer): string | null {
  return headers.get('x-headgate-cache')
}

/** The node holds each of these, and all that was sent before has come in. */
async function untilHeld(params: readonly string[]): Promise<void> {
  const isHeld = (one: string) => bodies.some((body) => body.includes(one))
  await until(() => params.every(isHeld), 'the node has them')
  // Whatever was sent before these is read before them.
  for (let round = 0; round < 3; round++) await fetch(`${gate.url}/healthz`)
}
