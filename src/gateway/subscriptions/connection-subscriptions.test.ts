import { beforeEach, expect, test } from 'bun:test'
import { Failure, Rejection } from '../../core/errors.ts'
import type { Subscriber } from '../../core/rpc/subscription-source.ts'
import {
  type ConnectionSubscriptions,
  openConnectionSubscriptions,
} from './connection-subscriptions.ts'
import { openFrameMemo } from './frame-memo.ts'

type Told = { sent: string[]; centiCu: number; spent: string[]; lost: string[] }

let told: Told
let subscriber: Subscriber
let closes: number
let answer: Rejection | Failure | null
let isSpent: boolean
let toldAtOnce: string | null

beforeEach(() => {
  told = { sent: [], centiCu: 0, spent: [], lost: [] }
  closes = 0
  answer = null
  isSpent = false
  toldAtOnce = null
})

function open(kind: 'evm' | 'solana', hasSource = true): ConnectionSubscriptions {
  const network = { id: 'NETWORK', kind }
  const source = {
    subscribe(_call: unknown, given: Subscriber) {
      if (answer instanceof Failure) throw answer
      subscriber = given
      if (toldAtOnce !== null) given.notify(toldAtOnce)
      return answer ?? { close: () => void closes++ }
    },
  }
  const who = { caller: { app: { id: 'app' }, account: {} }, service: { network } }
  return openConnectionSubscriptions(
    {
      guard: {
        capacity: () => (isSpent ? new Rejection('capacity_exceeded', 'all is spent') : null),
      },
      meter: {
        add(_account, _app, _network, _label, centiCu) {
          told.centiCu += centiCu
        },
      },
      sourceOf: () => (hasSource ? source : null),
      subscriptionsMax: () => 2,
      frameOf: openFrameMemo(),
    },
    {
      who: () => who as never,
      notify: (_name, text) => void told.sent.push(text),
      spent: ({ message }) => void told.spent.push(message),
      lost: (reason) => void told.lost.push(reason),
    },
  )
}

const call = (method: string, ...params: unknown[]) => ({
  method,
  params,
  paramsText: JSON.stringify(params),
})

test('on Solana ids are numbers and notifications are named after what was subscribed', async () => {
  const subscriptions = open('solana')
  const frame = subscriptions.openFrame()
  expect(await frame.serve(call('slotSubscribe'))).toMatchObject({ kind: 'result', text: '1' })
  frame.answered()
  subscriber.notify('{"slot":18446744073709551615}')
  const text =
    '{"jsonrpc":"2.0","method":"slotNotification","params":{"result":{"slot":18446744073709551615},"subscription":1}}'
  expect(told).toEqual({ sent: [text], centiCu: 4 * text.length, spent: [], lost: [] })
  const unknown = await frame.serve(call('slotUnsubscribe', 7))
  expect(unknown).toMatchObject({ kind: 'error', code: -32602 })
  expect(await frame.serve(call('accountUnsubscribe', 1))).toMatchObject({ text: 'true' })
  expect([subscriptions.size, closes]).toEqual([0, 1])
  subscriber.notify('{}')
  expect(told.sent).toHaveLength(1)
})

test('what is told before the answer waits for it, and the end of a subscription with it', async () => {
  const subscriptions = open('solana')
  const frame = subscriptions.openFrame()
  await frame.serve(call('signatureSubscribe', 'sig'))
  subscriber.notify('"done"')
  subscriber.done()
  expect(told.sent).toEqual([])
  frame.answered()
  expect(told.sent).toHaveLength(1)
  expect([subscriptions.size, closes]).toEqual([0, 1])
})

test('what a source tells while it is still being asked waits for the answer too', async () => {
  toldAtOnce = '{"slot":1}'
  const frame = open('solana').openFrame()
  expect(await frame.serve(call('slotSubscribe'))).toMatchObject({ kind: 'result', text: '1' })
  expect(told.sent).toEqual([])
  frame.answered()
  expect(told.sent).toHaveLength(1)
})

test('equal subscriptions of different clients have equal ids, those of one client do not', async () => {
  const [one, other] = [open('evm'), open('evm')].map((it) => it.openFrame())
  const heads = call('eth_subscribe', 'newHeads')
  const first = await one?.serve(heads)
  expect(await other?.serve(heads)).toEqual(first as never)
  expect(await one?.serve(heads)).not.toEqual(first as never)
  expect(first).toMatchObject({ text: expect.stringMatching(/^"0x[1-9a-f][0-9a-f]{20,31}"$/) })
})

test('refusals of the source, of the world and of the limit are answers', async () => {
  const subscriptions = open('evm')
  const frame = subscriptions.openFrame()
  const heads = call('eth_subscribe', 'newHeads')
  answer = new Rejection('invalid_params', 'Invalid params: no.')
  expect(await frame.serve(heads)).toMatchObject({ code: -32602 })
  answer = new Failure('upstream_unreachable')
  expect(await frame.serve(heads)).toMatchObject({ code: -32603 })
  answer = null
  await frame.serve(heads)
  await frame.serve(heads)
  expect(await frame.serve(heads)).toMatchObject({ code: -32600 })
  expect(subscriptions.size).toBe(2)
  subscriptions.closeAll()
  expect([subscriptions.size, closes]).toEqual([0, 2])
  const none = await open('solana', false).openFrame().serve(call('slotSubscribe'))
  expect(none).toMatchObject({
    code: -32603,
    text: expect.stringContaining('not served on NETWORK'),
  })
})

test('a month that is used up and a loss end the connection, and bill nothing', async () => {
  const frame = open('evm').openFrame()
  await frame.serve(call('eth_subscribe', 'newHeads'))
  frame.answered()
  isSpent = true
  subscriber.notify('{}')
  subscriber.lost('gone')
  expect(told).toEqual({ sent: [], centiCu: 0, spent: ['all is spent'], lost: ['gone'] })
})

test('long filters are bounded, until they are given back', async () => {
  const subscriptions = open('evm')
  const frame = subscriptions.openFrame()
  const filter = (chars: number) => call('eth_subscribe', 'logs', { address: 'a'.repeat(chars) })
  const refused = { kind: 'error', code: -32600 }
  expect(await frame.serve(filter(300_000))).toMatchObject(refused)
  const first = await frame.serve(filter(200_000))
  expect(await frame.serve(filter(100_000))).toMatchObject(refused)
  await frame.serve(call('eth_unsubscribe', JSON.parse(first.text)))
  expect(await frame.serve(filter(100_000))).toMatchObject({ kind: 'result' })
})
