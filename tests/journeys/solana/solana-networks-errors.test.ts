import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc } from '../../support/product/headgate.ts'
import { says, withTwoNodes } from '../../support/solana/solana-journey.ts'

setDefaultTimeout(180_000)

/** Errors that only the caller can cause: every node would give them. */
const CALLERS: [code: number, message: string][] = [
  [-32002, 'Transaction simulation failed: Blockhash not found'],
  // The caller's own words stand in it, and must not pass for the node's.
  [-32602, 'Invalid params: unknown variant `rate limit`, expected one of `binary`, `base58`.'],
]

/** Errors that another node may cure, one of each class. Where none can, the caller gets them. */
const ELSEWHERE: [code: number, message: string, data: unknown][] = [
  [-32005, 'Node is behind by 42 slots', { numSlotsBehind: 42 }],
  [-32016, 'Minimum context slot has not been reached', { contextSlot: 41 }],
  [-32601, 'Method not found', null],
  [-32603, 'Internal error', null],
  [-32000, 'request timed out', null],
]

/** Errors between us and a vendor, which are never the caller's business. */
const OURS: [code: number, message: string][] = [
  [-32005, 'Too many requests'],
  [401, 'invalid api key provided'],
]

const ask = rpc('getTransaction', ['5', { minContextSlot: 42 }], 'mine')

describe.concurrent("Solana's own errors", () => {
  test.each(CALLERS)('%d is handed on at once: %s', async (code, message) => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate, report }) => {
      first.answers.getTransaction = says(code, message, { logs: ['one'] })
      const { status, json } = await gate.post(ask)
      expect({ status, json }).toEqual({
        status: 200,
        json: { jsonrpc: '2.0', id: 'mine', error: { code, message, data: { logs: ['one'] } } },
      })
      expect(first.callsOf('getTransaction')).toBe(1)
      expect(second.callsOf('getTransaction')).toBe(0)
      expect(await report('first')).toMatchObject({ state: 'used', last_fault: null })
    })
  })

  test.each(ELSEWHERE)('%d is asked of another node: %s', async (code, message, data) => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate }) => {
      first.answers.getTransaction = says(code, message, data)
      second.answers.getTransaction = { slot: 5 }
      const { json, headers } = await gate.post(ask)
      expect(json).toEqual({ jsonrpc: '2.0', id: 'mine', result: { slot: 5 } })
      expect(headers.get('x-headgate-upstream')).toBe('second')
    })
  })

  test.each(ELSEWHERE)(
    '%d comes back as it is when all say so: %s',
    async (code, message, data) => {
      const [first, second] = [startFakeNode('first'), startFakeNode('second')]
      await withTwoNodes([first, second], async ({ gate, report }) => {
        for (const node of [first, second]) node.answers.getTransaction = says(code, message, data)
        const { status, json } = await gate.post(ask)
        const error = { code, message, ...(data === null ? {} : { data }) }
        expect({ status, json }).toEqual({
          status: 200,
          json: { jsonrpc: '2.0', id: 'mine', error },
        })
        expect(second.callsOf('getTransaction')).toBe(1)
        expect(await report('first')).toMatchObject({ state: 'used' })
      })
    },
  )

  test.each(OURS)('%d is cured by another node: %s', async (code, message) => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate }) => {
      first.answers.getTransaction = says(code, message)
      second.answers.getTransaction = { slot: 5 }
      expect((await gate.post(ask)).json.result).toEqual({ slot: 5 })
    })
  })

  test.each(OURS)('%d is never shown to a caller: %s', async (code, message) => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate }) => {
      for (const node of [first, second]) node.answers.getTransaction = says(code, message)
      const { status, json } = await gate.post(ask)
      expect(status).toBe(503)
      // Neither -32005 nor -32016: those would be a node's words.
      expect(json.error.code).toBe(-32603)
      expect(json.error.message).not.toContain(message)
    })
  })

  test('within a batch, each member fares by itself', async () => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate }) => {
      first.answers.getBalance = says(-32016, 'Minimum context slot has not been reached')
      first.answers.getFees = says(-32602, 'Invalid param: WrongSize')
      const { status, json } = await gate.post([
        rpc('getBalance', ['key', { minContextSlot: 9 }], 1),
        rpc('getFees', ['key'], 2),
        rpc('getHealth', [], 3),
      ])
      expect(status).toBe(200)
      expect(json[0].result.value).toBe(1_000)
      expect(json[1].error).toEqual({ code: -32602, message: 'Invalid param: WrongSize' })
      expect(json[2].result).toBe('ok')
    })
  })

  test('no caller can take a node out by what stands in its params', async () => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate, report }) => {
      const echo = ([, { encoding }]: [string, { encoding: string }]) =>
        says(-32602, `Invalid params: unknown variant \`${encoding}\`.`)()
      first.answers.getAccountInfo = echo
      for (const encoding of ['too many requests', 'quota', 'invalid api key', 'airdrop']) {
        for (let call = 0; call < 5; call++) {
          const { json } = await gate.post(rpc('getAccountInfo', ['key', { encoding }]))
          expect(json.error.message).toContain(encoding)
        }
      }
      expect(await report('first')).toMatchObject({ state: 'used', error_rate: 0 })
    })
  })

  test('a call too long for every node is refused, and the nodes stay in use', async () => {
    const [first, second] = [startFakeNode('first'), startFakeNode('second')]
    await withTwoNodes([first, second], async ({ gate, report }) => {
      const limited = (_method: string, body: string) =>
        body.length > 50 * 1024 ? new Response('too large', { status: 413 }) : null
      for (const node of [first, second]) node.misbehave = limited
      for (let call = 0; call < 10; call++) {
        const { status, json } = await gate.post(rpc('getBalance', ['k'.repeat(60_000), call]))
        expect([status, json.error.code]).toEqual([503, -32603])
      }
      expect(await report('first')).toMatchObject({ state: 'used', error_rate: 0 })
      expect((await gate.post(rpc('getBalance', ['key']))).json.result.value).toBe(1_000)
    })
  })
})
