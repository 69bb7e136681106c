import { afterEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { fastClock } from '../../../tests/support/basics/fast-clock.ts'
import {
  type AccountNode,
  keysOf,
  LAMPORTS,
  PROGRAM,
  put,
} from '../../../tests/support/nodes/account-node.ts'
import { accountStages } from '../../../tests/support/solana/account-stages.ts'
import { decodeKey, encodeBase58, encodeKey } from '../../core/solana/base58.ts'

const stages = accountStages()

afterEach(() => stages.closeAll())

type Record = { pubkey: string; account: { data: unknown } }

const TOO_MANY = { code: -32600, message: 'Too many accounts requested (450 pubkeys)' }

const keysIn = (records: Record[]) => records.map(({ pubkey }) => pubkey)

describe('a node that refuses to give all at once', () => {
  test.each([
    ['too many accounts', TOO_MANY],
    ['a program without an index', { code: -32010, message: `${PROGRAM} excluded from account` }],
    ['a scan that was aborted', { code: -32012, message: 'scan aborted: exceeded the limit' }],
    ['HTTP 413', 413],
    ['HTTP 504', 504],
  ])('is read by keys and then by hundreds: %s', async (_title, refusal) => {
    const { node, stage } = await stages.open(450)
    node.refusal = refusal
    const { reply, text } = await stage.ask({ withContext: true })
    expect(keysIn(reply.result.value)).toEqual(keysOf(node))
    expect(reply.result.context.slot).toBe(1000)
    expect(node.callsOf('getMultipleAccounts')).toBe(5)
    expect(text).toContain(`"lamports":${LAMPORTS},`)
    expect(text.split('"rentEpoch":18446744073709551615,')).toHaveLength(451)
  })

  test('gives the very text that a node would give at once', async () => {
    const { node, stage } = await stages.open(250)
    const whole = await stage.ask({ encoding: 'base64+zstd', minContextSlot: 1 })
    node.refusal = TOO_MANY
    const parts = await stage.ask({ encoding: 'base64+zstd' })
    expect(node.callsOf('getMultipleAccounts')).toBe(3)
    expect(parts.text).toBe(whole.text)
  })

  test('is walked by pages of one slot, though the node has moved on', async () => {
    const { node, stage } = await stages.open(450)
    node.refusal = TOO_MANY
    node.beforeAccounts = () => node.mine()
    const walked = await stage.walk({ limit: 100 })
    expect(walked).toEqual({ keys: keysOf(node), pages: 5, slot: 1000 })
  })

  test('that does not sort is sorted', async () => {
    const { node, stage } = await stages.open(450)
    node.refusal = TOO_MANY
    node.order = 'shuffled'
    expect((await stage.walk({ limit: 200 })).keys).toEqual(keysOf(node))
    expect((await stage.walk({ limit: 200, order: 'desc' })).keys).toEqual(keysOf(node).reverse())
  })

  test('is not asked for the whole a second time', async () => {
    const { node, stage } = await stages.open(30)
    node.refusal = TOO_MANY
    await stage.ask({ minContextSlot: 1 })
    await stage.ask({ minContextSlot: 2 })
    const sliced = node.calls.map(({ params }) => (params[1] as { dataSlice?: unknown })?.dataSlice)
    expect(sliced.filter((slice) => slice !== undefined)).toHaveLength(2)
    expect(node.callsOf('getProgramAccounts')).toBe(3)
  })

  test('is passed over where another gives it', async () => {
    const { node, other, stage } = await stages.open(30, { nodes: 2 })
    node.refusal = TOO_MANY
    const { reply, upstream } = await stage.ask()
    expect([keysIn(reply.result), upstream]).toEqual([keysOf(other), 'node-1'])
    expect(other.callsOf('getMultipleAccounts')).toBe(0)
  })

  test('of keys too is told in its first words', async () => {
    const { node, stage } = await stages.open(30)
    node.misbehave = (method, body) =>
      method === 'getProgramAccounts'
        ? Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, error: TOO_MANY })
        : null
    const { reply, upstream } = await stage.ask()
    expect([reply.error, upstream]).toEqual([TOO_MANY, 'node-0'])
  })
})

describe('between the keys and the accounts', () => {
  async function changed(change: (node: AccountNode, keys: string[]) => void, config: object = {}) {
    const { node, stage } = await stages.open(120)
    node.refusal = TOO_MANY
    const keys = keysOf(node)
    let isDone = false
    node.beforeAccounts = () => {
      if (!isDone) change(node, keys)
      isDone = true
    }
    const { reply } = await stage.ask(config)
    return { keys, found: keysIn(reply.result) }
  }

  test('an account that was closed is left out', async () => {
    const { keys, found } = await changed((node, [first = '']) => node.accounts.delete(first))
    expect(found).toEqual(keys.slice(1))
  })

  test('an account that another program took over is left out', async () => {
    const { keys, found } = await changed((node, [first = '']) =>
      put(node, { pubkey: keyOf(first), owner: new Uint8Array(32) }),
    )
    expect(found).toEqual(keys.slice(1))
  })

  test('an account that no longer fits the filters is left out', async () => {
    const { keys, found } = await changed(
      (node, [first = '']) => put(node, { pubkey: keyOf(first), data: new Uint8Array(99) }),
      { filters: [{ dataSize: 100 }] },
    )
    expect(found).toEqual(keys.slice(1))
  })

  test('an account that was made is not in it', async () => {
    const { keys, found } = await changed((node) =>
      put(node, { pubkey: new Uint8Array(32).fill(1), data: new Uint8Array(100) }),
    )
    expect(found).toEqual(keys)
  })
})

describe('read by keys', () => {
  test('data is cut and written as it was asked for', async () => {
    const { node, stage } = await stages.open(0)
    node.refusal = TOO_MANY
    put(node, { pubkey: new Uint8Array(32).fill(1), data: Uint8Array.of(1, 2, 3, 4) })
    const config = { encoding: 'base58', dataSlice: { offset: 1, length: 2 } }
    const { reply } = await stage.ask(config)
    expect(reply.result[0].account.data).toEqual([encodeBase58(Uint8Array.of(2, 3)), 'base58'])
    expect(reply.result[0].account.space).toBe(4)
  })

  test('too much data for base 58 is refused in the words of a node', async () => {
    const { node, stage } = await stages.open(30, { dataBytes: 129 })
    node.refusal = TOO_MANY
    const { reply } = await stage.ask({ encoding: 'base58' })
    expect(reply.error).toEqual({
      code: -32600,
      message:
        'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    })
  })

  test('token accounts are parsed with their mints, and what does not parse is left out', async () => {
    const { node, stage } = await stages.open(3)
    node.refusal = TOO_MANY
    const mint = new Uint8Array(32).fill(9)
    const lonely = new Uint8Array(32).fill(8)
    put(node, { pubkey: mint, data: mintData(6) })
    put(node, { pubkey: new Uint8Array(32).fill(7), data: tokenData(mint, 1_500_000n) })
    put(node, { pubkey: new Uint8Array(32).fill(6), data: tokenData(lonely, 1n) })
    // A node looks at the bytes of a mint alone, whoever owns it.
    const foreign = new Uint8Array(32).fill(10)
    put(node, { pubkey: foreign, owner: new Uint8Array(32).fill(11), data: mintData(2) })
    put(node, { pubkey: new Uint8Array(32).fill(12), data: tokenData(foreign, 250n) })
    const { result } = (await stage.ask({ encoding: 'jsonParsed' })).reply
    const keys = [7, 9, 12].map((byte) => encodeKey(new Uint8Array(32).fill(byte)))
    expect(keysIn(result)).toEqual(keys)
    expect(result[2].account.data.parsed.info.tokenAmount.uiAmountString).toBe('2.5')
    expect(result[0].account.data.parsed.info.tokenAmount.uiAmountString).toBe('1.5')
  })

  test('a hundred accounts that are too much at once are asked for in halves', async () => {
    const { node, stage } = await stages.open(250)
    node.refusal = TOO_MANY
    const { misbehave } = node
    node.misbehave = (method, body) => {
      const { id, params } = JSON.parse(body)
      if (method !== 'getMultipleAccounts' || params[0].length <= 30) {
        return misbehave?.(method, body) ?? null
      }
      const error = { code: -32602, message: 'Too many inputs provided; max 30' }
      return Response.json({ jsonrpc: '2.0', id, error })
    }
    expect(keysIn((await stage.ask()).reply.result)).toEqual(keysOf(node))
  })

  test('accounts that cannot be had break the answer off', async () => {
    const { node, stage } = await stages.open(2000, { clock: fastClock(20) })
    node.refusal = TOO_MANY
    let calls = 0
    const { misbehave } = node
    node.misbehave = (method, body) =>
      method === 'getMultipleAccounts' && ++calls > 3
        ? new Response('', { status: 500 })
        : (misbehave?.(method, body) ?? null)
    expect(await failureOf(stage.ask())).toBeInstanceOf(Error)
  })
})

function keyOf(text: string): Uint8Array {
  return decodeKey(text) as Uint8Array
}

function mintData(decimals: number): Uint8Array {
  const data = new Uint8Array(82)
  data[44] = decimals
  data[45] = 1
  return data
}

function tokenData(mint: Uint8Array, amount: bigint): Uint8Array {
  const data = new Uint8Array(165)
  data.set(mint)
  new DataView(data.buffer).setBigUint64(64, amount, true)
  data[108] = 1
  return data
}
