import { afterEach, describe, expect, test } from 'bun:test'
import { keysOf, LAMPORTS, PROGRAM, put } from '../../../tests/support/nodes/account-node.ts'
import { accountStages } from '../../../tests/support/solana/account-stages.ts'
import { systemClock } from '../../system/machine/system-clock.ts'

const stages = accountStages()

afterEach(() => stages.closeAll())

type Record = { pubkey: string; pageKey?: string }

const keysIn = (records: Record[]) => records.map(({ pubkey }) => pubkey)

describe('the form of an answer', () => {
  test('all that fits is the plain array that every client expects', async () => {
    const { node, stage } = await stages.open(30)
    const { reply, cache, upstream } = await stage.ask()
    expect(keysIn(reply.result)).toEqual(keysOf(node))
    expect(Object.keys(reply)).toEqual(['result'])
    expect(reply.result.at(-1).pageKey).toBeUndefined()
    expect([cache, upstream]).toEqual(['miss', 'node-0'])
  })

  test('no account at all is an empty array', async () => {
    const { stage } = await stages.open(0)
    expect((await stage.ask()).text).toBe('{"result":[]}')
    const { result } = (await stage.ask({ withContext: true })).reply
    expect(result).toEqual({ context: { apiVersion: '4.2.0', slot: 1000 }, value: [] })
  })

  test('of more, the last record carries the page key, and the reply has it once more', async () => {
    const { node, stage } = await stages.open(30)
    const { reply } = await stage.ask({ limit: 10 })
    expect(keysIn(reply.result)).toEqual(keysOf(node).slice(0, 10))
    expect(reply.result.at(-1).pageKey).toBe(reply.pageKey)
    expect(reply.result.slice(0, -1).some((record: Record) => 'pageKey' in record)).toBe(false)
  })

  test('with context, the page key stands in the wrapper', async () => {
    const { stage } = await stages.open(30)
    const { reply } = await stage.ask({ limit: 10, withContext: true })
    expect(Object.keys(reply)).toEqual(['result'])
    expect(Object.keys(reply.result)).toEqual(['context', 'value', 'pageKey'])
    expect(reply.result.context).toEqual({ apiVersion: '4.2.0', slot: 1000 })
    expect(reply.result.value.at(-1).pageKey).toBeUndefined()
  })

  test('a page that ends with the last record has no page key', async () => {
    const { stage } = await stages.open(30)
    const { reply } = await stage.ask({ limit: 30 })
    expect([reply.result.length, reply.pageKey]).toEqual([30, undefined])
  })

  test('V2 has its own names, and a null at the end', async () => {
    const { node, stage } = await stages.open(30)
    const first = (await stage.ask({ limit: 20 }, 'getProgramAccountsV2')).reply.result
    expect(Object.keys(first)).toEqual(['accounts', 'paginationKey'])
    const { paginationKey } = first
    const rest = { limit: 20, paginationKey, withContext: true }
    const second = (await stage.ask(rest, 'getProgramAccountsV2')).reply.result
    expect(second.value.paginationKey).toBeNull()
    expect(second.context.slot).toBe(1000)
    expect(keysIn([...first.accounts, ...second.value.accounts])).toEqual(keysOf(node))
  })

  test('digits that no double holds stay what they are, on every page', async () => {
    const { stage } = await stages.open(30)
    const first = await stage.ask({ limit: 29 })
    const second = await stage.ask({ limit: 29, pageKey: first.reply.pageKey })
    const text = first.text + second.text
    const lamports = [...text.matchAll(/"lamports":(\d+)/g)].map(([, digits]) => digits)
    const expected = Array.from({ length: 30 }, (_, at) => String(LAMPORTS + BigInt(2 * at)))
    expect(lamports.toSorted()).toEqual(expected.toSorted())
    expect(text.split('"rentEpoch":18446744073709551615,')).toHaveLength(31)
  })
})

describe('a walk by page keys', () => {
  test.each([
    [1, 30],
    [7, 5],
    [10, 3],
    [29, 2],
    [30, 1],
  ])('of pages of %d reads every account once, at one slot', async (limit, pages) => {
    const { node, stage } = await stages.open(30)
    const walked = await stage.walk({ limit })
    expect(walked).toEqual({ keys: keysOf(node), pages, slot: 1000 })
    expect(node.callsOf('getProgramAccounts')).toBe(1)
  })

  test('shows the moment of its first page, whatever happens meanwhile', async () => {
    const { node, stage } = await stages.open(30)
    const before = keysOf(node)
    const { pageKey } = (await stage.ask({ limit: 10 })).reply
    for (const key of before.slice(5, 25)) node.accounts.delete(key)
    put(node, { pubkey: new Uint8Array(32).fill(0xff) })
    node.mine()
    const { result } = (await stage.ask({ limit: 30, pageKey, withContext: true })).reply
    expect(keysIn(result.value)).toEqual(before.slice(10))
    expect(result.context.slot).toBe(1000)
  })

  test('goes backwards as well', async () => {
    const { node, stage } = await stages.open(30)
    const walked = await stage.walk({ limit: 7, order: 'desc' })
    expect(walked.keys).toEqual(keysOf(node).reverse())
  })

  test('may change the size of its pages, and whether it wants context, on the way', async () => {
    const { node, stage } = await stages.open(30)
    const { reply } = await stage.ask({ limit: 10 })
    const second = await stage.ask({ limit: 3, pageKey: reply.pageKey, withContext: true })
    expect(keysIn(second.reply.result.value)).toEqual(keysOf(node).slice(10, 13))
    expect(second.cache).toBe('hit')
  })

  test('may go back to a page it had before', async () => {
    const { stage } = await stages.open(30)
    const { pageKey } = (await stage.ask({ limit: 10 })).reply
    const once = await stage.ask({ limit: 10, pageKey })
    const again = await stage.ask({ limit: 10, pageKey })
    expect(keysIn(again.reply.result)).toEqual(keysIn(once.reply.result))
  })

  test('through tens of megabytes goes over the disk and leaves nothing there', async () => {
    const { node, stage } = await stages.open(3000, { dataBytes: 8000 })
    const walked = await stage.walk({ limit: 1000 })
    expect(walked.keys).toEqual(keysOf(node))
    expect(stage.files().length).toBeGreaterThan(0)
    await stage.accounts.stop()
    expect(stage.files()).toEqual([])
  })
})

describe('a page key', () => {
  const refusal = (field = 'pageKey') => ({
    code: -32602,
    message: `Invalid params: ${field}: not a key that was given for this program and config.`,
  })

  test('is good for the question it was given for alone', async () => {
    const { stage } = await stages.open(30)
    const config = { limit: 10, encoding: 'base64' }
    const { pageKey } = (await stage.ask(config)).reply
    for (const other of [
      { encoding: 'base64+zstd' },
      { filters: [{ dataSize: 100 }] },
      { commitment: 'confirmed' },
      { order: 'desc' },
      { dataSlice: { offset: 0, length: 1 } },
    ]) {
      const { reply, upstream } = await stage.ask({ ...config, ...other, pageKey })
      expect(reply.error).toEqual(refusal())
      expect(upstream).toBeNull()
    }
    const paginationKey = pageKey
    const v2 = await stage.ask({ limit: 10, paginationKey }, 'getProgramAccountsV2')
    expect(v2.reply.error).toEqual(refusal('paginationKey'))
    expect((await stage.ask({ ...config, pageKey })).reply.result).toHaveLength(10)
  })

  test.each(['', 'x', '!', 'AAAA', 'A'.repeat(500)])(
    'that we never gave is refused: %p',
    async (pageKey) => {
      const { node, stage } = await stages.open(3)
      expect((await stage.ask({ pageKey })).reply.error).toEqual(refusal())
      expect(node.callsOf('getProgramAccounts')).toBe(0)
    },
  )

  test('with any one character changed is refused', async () => {
    const { stage } = await stages.open(30)
    const { pageKey } = (await stage.ask({ limit: 10 })).reply as { pageKey: string }
    for (let at = 0; at < pageKey.length; at += 7) {
      const changed = pageKey[at] === 'A' ? 'B' : 'A'
      const spoilt = pageKey.slice(0, at) + changed + pageKey.slice(at + 1)
      expect((await stage.ask({ limit: 10, pageKey: spoilt })).reply.error).toEqual(refusal())
    }
  })

  test('expires', async () => {
    let nowMs = 1_800_000_000_000
    const clock = { ...systemClock(), nowMs: () => nowMs }
    const { stage } = await stages.open(30, { clock, rules: { pageKeyMs: 1000 } })
    const { pageKey } = (await stage.ask({ limit: 10 })).reply
    nowMs += 999
    expect((await stage.ask({ limit: 10, pageKey })).reply.result).toHaveLength(10)
    nowMs += 1
    const { error } = (await stage.ask({ limit: 10, pageKey })).reply
    expect(error).toEqual({ code: -32602, message: 'pageKey has expired' })
  })

  test('of a snapshot that is gone has expired', async () => {
    const { stage } = await stages.open(30)
    const { pageKey } = (await stage.ask({ limit: 10 })).reply
    await stage.accounts.stop()
    const { error } = (await stage.ask({ limit: 10, pageKey })).reply
    expect(error).toEqual({ code: -32602, message: 'pageKey has expired' })
  })

  test('does not lead back behind the slot that a caller wants at least', async () => {
    const { stage } = await stages.open(30)
    const { pageKey } = (await stage.ask({ limit: 10 })).reply
    const { error } = (await stage.ask({ limit: 10, pageKey, minContextSlot: 1001 })).reply
    expect([error.code, error.data]).toEqual([-32016, { contextSlot: 1000 }])
  })
})

describe('what a node says of the question', () => {
  test('a slot it has not seen is passed on with its words and data', async () => {
    const { stage } = await stages.open(3)
    const { reply, upstream } = await stage.ask({ minContextSlot: 5000 })
    expect(reply.error).toEqual({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: 1000 },
    })
    expect(upstream).toBe('node-0')
  })

  test('params that a node would refuse never reach one', async () => {
    const { node, stage } = await stages.open(3)
    const { reply, upstream } = await stage.ask({ encoding: 'hex' })
    expect([reply.error.code, upstream]).toEqual([-32602, null])
    expect(node.callsOf('getProgramAccounts')).toBe(0)
  })

  test('changedSinceSlot is never ignored', async () => {
    const { stage } = await stages.open(3)
    const { error } = (await stage.ask({ changedSinceSlot: 5 }, 'getProgramAccountsV2')).reply
    expect(error).toEqual({
      code: -32602,
      message: 'Invalid params: changedSinceSlot: only served for programs that are indexed here.',
    })
  })

  test('it is asked with every option in the words that all versions know', async () => {
    const { node, stage } = await stages.open(3)
    await stage.ask({ commitment: 'recent', filters: [{ dataSize: 100 }], withContext: false })
    const [call] = node.calls.filter(({ method }) => method === 'getProgramAccounts')
    expect(call?.params).toEqual([
      PROGRAM,
      {
        encoding: 'base64',
        commitment: 'processed',
        withContext: true,
        sortResults: true,
        filters: [{ dataSize: 100 }],
      },
    ])
  })
})
