import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import {
  fill,
  keysOf,
  LAMPORTS,
  PROGRAM,
  startAccountNode,
} from '../../support/nodes/account-node.ts'
import { networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newTeam } from '../../support/product/teams.ts'

const node = startAccountNode('node-s')
/** Another network with the same accounts, behind the same app. */
const twin = startAccountNode('node-t')
let headgate: TestHeadgate

const U64_MAX = '18446744073709551615'

beforeAll(async () => {
  fill(node, 500)
  fill(twin, 500)
  const networks = networksEnv(
    solanaNetwork('SOLANA_MAINNET', [node]),
    solanaNetwork('SOLANA_TWIN', [twin]),
  )
  headgate = await startHeadgate({ env: { ...networks, HEADGATE_DEMO_KEY: 'true' } })
})

beforeEach(() => {
  node.calls.length = 0
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  twin.stop()
})

const ask = (config: unknown, options: { slug?: string; key?: string } = {}) =>
  headgate.post(rpc('getProgramAccounts', [PROGRAM, config]), options)

/** A question that no other test has asked, so that nobody shares its scan. */
let asked = 0
const fresh = (config: object = {}) => ({ ...config, minContextSlot: ++asked })

describe('the validation table: refused here in the words of a node, for nothing', () => {
  const a = '11111111111111111111111111111111'
  const filters = (...list: unknown[]) => [a, { filters: list }]
  const five = Array.from({ length: 5 }, () => ({ dataSize: 1 }))
  const slice = { offset: 0, length: 1 }

  test.each<[string, unknown[], string | RegExp]>([
    ['no program', [], '`params` should have at least 1 argument(s)'],
    ['a program of 31 bytes', ['1'.repeat(31)], 'Invalid param: WrongSize'],
    ['an unknown encoding', [a, { encoding: 'hex' }], /^Invalid params: unknown variant .hex./],
    ['a slice with jsonParsed', [a, { encoding: 'jsonParsed', dataSlice: slice }], /dataSlice/],
    ['more than four filters', filters(...five), 'Too many filters provided; max 4'],
    [
      '129 bytes to compare',
      filters({ memcmp: { offset: 0, bytes: '1'.repeat(129) } }),
      'Invalid param: DataTooLarge',
    ],
    ['an unknown commitment', [a, { commitment: 'soon' }], /commitment/],
    ['an unknown order', [a, { order: 'up' }], /order/],
    ['a limit of nothing', [a, { limit: 0 }], /limit/],
    ['a limit beyond 100,000', [a, { limit: 100_001 }], /limit/],
    ['a page key that is a number', [a, { pageKey: 1 }], /pageKey/],
  ])('%s', async (_title, params, message) => {
    const { status, json, headers } = await headgate.post(rpc('getProgramAccounts', params, 'me'))
    expect([status, json.id, json.error.code]).toEqual([200, 'me', -32602])
    if (typeof message === 'string') expect(json.error.message).toBe(message)
    else expect(json.error.message).toMatch(message)
    expect(headers.get('x-headgate-cu')).toBe('0')
    expect(node.callsOf('getProgramAccounts')).toBe(0)
  })

  test('numbers beyond u64', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"getProgramAccounts","params":["${a}",{"minContextSlot":18446744073709551616}]}`
    expect((await headgate.post(body)).json.error.code).toBe(-32602)
  })
})

describe('who may ask', () => {
  test.each(['getProgramAccounts', 'getProgramAccountsV2'])(
    'not the free tier: %s',
    async (method) => {
      const { key } = await newTeam(headgate, 'free')
      const { status, json, headers } = await headgate.post(rpc(method, [PROGRAM]), { key })
      expect(status).toBe(403)
      expect(json.error.code).toBe(-32600)
      expect(json.error.message).toStartWith(
        `${method} is not available on the Free tier - upgrade`,
      )
      expect(headers.get('x-headgate-cu')).toBe('0')
    },
  )

  test('not the demo key', async () => {
    const { status, json } = await ask({}, { key: 'demo' })
    expect([status, json.error.code]).toEqual([403, -32600])
    expect(node.callsOf('getProgramAccounts')).toBe(0)
  })

  test('a page of a paid tier costs its price, the following ones too', async () => {
    const first = await ask(fresh({ limit: 100 }))
    const config = { limit: 100, minContextSlot: asked, pageKey: first.json.pageKey }
    const second = await ask(config)
    expect([first, second].map(({ headers }) => headers.get('x-headgate-cu'))).toEqual(['20', '20'])
    expect([first, second].map(({ headers }) => headers.get('x-headgate-cache'))).toEqual([
      'miss',
      'hit',
    ])
    expect(second.headers.get('x-headgate-upstream')).toBe('node-s')
  })

  test('an error of the node costs its price, and passes as it is', async () => {
    const { json, headers } = await ask({ minContextSlot: 900_000 })
    expect(json.error).toEqual({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: node.head.number },
    })
    expect(headers.get('x-headgate-cu')).toBe('20')
  })
})

describe('page keys through HTTP', () => {
  test('lead through all accounts once', async () => {
    const keys: string[] = []
    let pageKey: string | undefined
    const config = fresh({ limit: 120 })
    do {
      const { json } = await ask({ ...config, ...(pageKey ? { pageKey } : {}) })
      keys.push(...json.result.map(({ pubkey }: { pubkey: string }) => pubkey))
      expect(json.result.at(-1).pageKey).toBe(json.pageKey)
      pageKey = json.pageKey
    } while (pageKey)
    expect(keys).toEqual(keysOf(node))
    expect(node.callsOf('getProgramAccounts')).toBe(1)
  })

  test('of another network, another program or another config are refused', async () => {
    const config = fresh({ limit: 100 })
    const { pageKey } = (await ask(config)).json
    const other = '11111111111111111111111111111111'
    const refused = [
      await ask({ ...config, pageKey }, { slug: 'solana-twin' }),
      await headgate.post(rpc('getProgramAccounts', [other, { ...config, pageKey }])),
      await ask({ ...config, encoding: 'base64+zstd', pageKey }),
      await ask({ ...config, pageKey: `${pageKey.slice(0, -2)}AA` }),
    ]
    for (const { status, json, headers } of refused) {
      expect([status, json.error.code]).toEqual([200, -32602])
      expect(json.error.message).toContain('pageKey')
      expect(headers.get('x-headgate-cu')).toBe('0')
    }
  })

  test('expire, and say so', async () => {
    const brief = await startHeadgate({
      env: {
        ...networksEnv(solanaNetwork('SOLANA_MAINNET', [node])),
        HEADGATE_PROGRAM_ACCOUNTS_PAGE_KEY_MS: '1000',
      },
    })
    try {
      const config = { limit: 100 }
      const { pageKey } = (await brief.post(rpc('getProgramAccounts', [PROGRAM, config]))).json
      const next = rpc('getProgramAccounts', [PROGRAM, { ...config, pageKey }])
      await until(async () => (await brief.post(next)).json.error !== undefined, 'it expires')
      const { json } = await brief.post(next)
      expect(json.error).toEqual({ code: -32602, message: 'pageKey has expired' })
    } finally {
      await brief.stop()
    }
  })
})

describe('digits that no double holds', () => {
  const lamports = (text: string) =>
    [...text.matchAll(/"lamports":(\d+)/g)].map(([, digits]) => BigInt(digits ?? 0))

  const expectDigits = (text: string, count: number) => {
    expect(text.split(`"rentEpoch":${U64_MAX},`)).toHaveLength(count + 1)
    expect(lamports(text).filter((value) => value >= LAMPORTS)).toHaveLength(count)
    expect(lamports(text).every((value) => value % 2n === 1n)).toBe(true)
  }

  test('arrive in a plain answer', async () => {
    expectDigits((await ask(fresh())).text, 500)
  })

  test('arrive in pages', async () => {
    const config = fresh({ limit: 300 })
    const first = await ask(config)
    expectDigits(first.text, 300)
    expectDigits((await ask({ ...config, pageKey: first.json.pageKey })).text, 200)
  })

  test('arrive in a batch, beside other calls', async () => {
    const batch = [
      rpc('getProgramAccounts', [PROGRAM, fresh()], 1),
      rpc('getSlot', [], 2),
      rpc('getProgramAccounts', [PROGRAM, fresh({ limit: 10, withContext: true })], 3),
      rpc('getProgramAccountsV2', [PROGRAM, fresh({ limit: 10 })], 4),
      rpc('getProgramAccounts', [PROGRAM, { limit: 0 }], 5),
    ]
    const { json, text, headers } = await headgate.post(batch)
    expectDigits(text, 520)
    expect(json[0].result).toHaveLength(500)
    expect(json[1].result).toBe(node.head.number)
    expect(json[2].result.pageKey).toBeString()
    expect(json[3].result.paginationKey).toBeString()
    expect(json[4].error.code).toBe(-32602)
    expect(headers.get('x-headgate-cu')).toBe('80')
  })

  test('arrive when the accounts are read by their keys', async () => {
    node.refusal = { code: -32600, message: 'Too many accounts requested' }
    const { text } = await ask(fresh({ commitment: 'confirmed' }))
    node.refusal = null
    expectDigits(text, 500)
    expect(node.callsOf('getMultipleAccounts')).toBe(5)
  })
})

describe('when things go wrong', () => {
  test('a node that drops in the middle breaks the body, and other calls go on', async () => {
    const config = { filters: [{ dataSize: 100 }] }
    await ask(fresh(config))
    node.breakAfter = 300
    const answers = [1, 2, 3].map(() => ask(fresh(config)).catch(() => null))
    const slot = await headgate.post(rpc('getSlot'))
    expect(slot.json.result).toBe(node.head.number)
    for (const answer of await Promise.all(answers)) {
      if (answer) expect(answer.json.error.code).toBe(-32603)
    }
    node.breakAfter = null
    expect((await ask(fresh(config))).json.result).toHaveLength(500)
  })

  test('a client that hangs up ends its scan', async () => {
    const before = node.cancelled
    node.hold = { after: 400, until: new Promise(() => {}) }
    const body = JSON.stringify(
      rpc('getProgramAccounts', [PROGRAM, fresh({ commitment: 'processed' })]),
    )
    const { port } = new URL(headgate.url)
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    const path = `/solana-mainnet/v2/${headgate.appKey}`
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await until(() => node.cancelled > before, 'the node is told')
    node.hold = null
  })

  test('nothing of it, nor of its keys, is in the log', async () => {
    const { pageKey } = (await ask(fresh({ limit: 10 }))).json
    expect(headgate.logText()).toContain('"event":"accounts_scan"')
    expect(headgate.logText()).not.toContain(pageKey)
    expect(headgate.logText()).not.toContain('secret-path-of-')
  })
})
