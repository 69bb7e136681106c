import { afterEach, describe, expect, test } from 'bun:test'
import { settled as turn } from '../../../../tests/support/basics/test-clock.ts'
import { PROGRAM } from '../../../../tests/support/solana/pubsub-answers.ts'
import { pubkeyOf, signatureOf } from '../../../../tests/support/solana/pubsub-cluster.ts'
import {
  type Heard,
  openPubsubStage,
  type PubsubStage,
} from '../../../../tests/support/solana/pubsub-stage.ts'
import { Rejection } from '../../../core/errors.ts'

const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }
const KEY = pubkeyOf(0)

let stage: PubsubStage
afterEach(() => stage.stop())

const lamports = ({ told }: Heard) => told.map(({ value }) => value.lamports)
const asked = (method: string, name = 'a') =>
  stage.cluster.node(name).asked.filter((call) => call.method === method)
const sockets = () => stage.cluster.nodes.map(({ wires }) => wires.size)

describe('subscriptions to a Solana network', () => {
  test('of the same meaning are one at the node, over one socket', async () => {
    stage = await openPubsubStage()
    const first = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    const second = await stage.listen('accountSubscribe', KEY, { ...CONFIRMED, minContextSlot: 1 })
    await stage.listen('logsSubscribe', 'all')
    expect(asked('accountSubscribe')).toHaveLength(1)
    expect(sockets()).toEqual([1, 0, 0])
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(800)
    const late = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    expect([first.texts, second.texts, late.texts]).toEqual([first.texts, first.texts, []])
    expect(first.texts).toHaveLength(1)
    expect(first.texts[0]).toContain('"rentEpoch":18446744073709551615')
  })

  test('are ended at the node with the last one who leaves, and the socket after a while', async () => {
    stage = await openPubsubStage()
    const first = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    const second = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    close(first)
    close(first)
    expect(asked('accountUnsubscribe')).toHaveLength(0)
    close(second)
    await stage.wait(50)
    expect(asked('accountUnsubscribe')).toHaveLength(1)
    await stage.wait(20_000)
    expect(sockets()).toEqual([1, 0, 0])
    await stage.wait(11_000)
    expect(sockets()).toEqual([0, 0, 0])
    await stage.listen('accountSubscribe', KEY, CONFIRMED)
    expect(sockets().reduce((sum, one) => sum + one)).toBe(1)
  })

  test('go on over a new socket while an unused one is being closed', async () => {
    stage = await openPubsubStage(['a'])
    close(await stage.listen('slotSubscribe'))
    stage.clock.skip(31_000)
    const heard = stage.begin('logsSubscribe', 'all', CONFIRMED)
    await settled(heard)
    stage.cluster.mine({ landed: [signatureOf(1)] })
    await stage.run(1_000)
    expect([heard.told.length, heard.lost.length]).toEqual([1, 0])
    expect(sockets()).toEqual([1])
  })

  test('never tell a slot that is not beyond the last', async () => {
    stage = await openPubsubStage(['a'])
    const heard = await stage.listen('slotSubscribe')
    await stage.run(2_000)
    const told = heard.told.map(({ slot }) => slot)
    const result = { slot: told[1], parent: told[0], root: 1_000 }
    const params = { result, subscription: 1 }
    stage.cluster.node('a').say(JSON.stringify({ method: 'slotNotification', params }))
    await stage.run(400)
    expect(heard.told.map(({ slot }) => slot)).toEqual([...told, told.at(-1) + 1])
  })

  test('that nobody waits for any more are ended when they are granted', async () => {
    stage = await openPubsubStage()
    await stage.listen('slotSubscribe')
    const { cluster } = stage
    cluster.node('a').refuses = (method) => (method === 'accountSubscribe' ? 'silence' : null)
    const heard = stage.begin('accountSubscribe', KEY, CONFIRMED)
    await stage.run(21_000)
    expect(heard.opened).toMatchObject({ code: 'upstream_timeout' })
    // The answer comes late.
    cluster.node('a').say('{"jsonrpc":"2.0","id":2,"result":77}')
    await stage.wait(50)
    expect(heard.texts).toEqual([])
    expect(asked('accountUnsubscribe').map(({ params }) => params)).toEqual([[77]])
    expect(sockets()).toEqual([1, 0, 0])
  })

  test.each([
    ['accountSubscribe', ['x'], 'invalid_params', 'Invalid Request: Invalid pubkey provided'],
    ['accountSubscribe', [], 'invalid_params', '`params` should have at least 1 argument(s)'],
    ['blockSubscribe', ['all'], 'method_not_served', 'blockSubscribe is not served here.'],
  ])('%s %j is refused here', async (method, params, code, message) => {
    stage = await openPubsubStage()
    const { opened } = await settled(stage.begin(method, ...params))
    expect(opened).toMatchObject({ code, message })
    expect(sockets()).toEqual([0, 0, 0])
  })

  test.each([
    [-32602, 'Invalid params: odd.', 'invalid_params', 'Invalid params: odd.'],
    [-32601, 'Method not found', 'method_not_served', 'The node does not serve logsSubscribe.'],
    [-32005, 'ws://secret', 'upstream_failed', 'The node refused the subscription.'],
  ])(
    'that a node refuses with %d concern their caller alone',
    async (code, words, own, message) => {
      stage = await openPubsubStage()
      const other = await stage.listen('accountSubscribe', KEY, CONFIRMED)
      stage.cluster.node('a').refuses = (method) =>
        method === 'logsSubscribe' ? { code, message: words } : null
      const { opened } = await settled(stage.begin('logsSubscribe', 'all'))
      expect(opened).toMatchObject({ code: own, message })
      stage.cluster.mine({ accounts: [KEY] })
      await stage.run(800)
      expect(other.texts).toHaveLength(1)
      expect(sockets()).toEqual([1, 0, 0])
    },
  )

  test('need an upstream with a socket', async () => {
    stage = await openPubsubStage(['a'], false)
    const { opened } = await settled(stage.begin('slotSubscribe'))
    const message = 'SOLANA_TEST has no upstream with a ws address, so it has no subscriptions.'
    expect(opened).toMatchObject({ code: 'upstream_failed', message })
  })

  test('are bounded, so that one team leaves room for others', async () => {
    stage = await openPubsubStage(['a'])
    const begin = (bytes: number) =>
      stage.begin('programSubscribe', PROGRAM, { filters: [{ dataSize: bytes }] })
    for (let bytes = 0; bytes < 5000; bytes++) begin(bytes)
    const beyond = stage.begin('slotSubscribe')
    stage.team = 'another'
    const other = stage.begin('slotSubscribe')
    const sharing = begin(0)
    stage.subscriptions.stop('Connect anew.')
    await settled(sharing)
    const message = 'Too many different subscriptions are open on SOLANA_TEST.'
    expect(beyond.opened).toMatchObject({ code: 'overloaded', message })
    expect(other.opened).toMatchObject({ code: 'upstream_failed' })
    expect(sharing.opened).toMatchObject({ code: 'upstream_failed' })
  })

  test('are told when their source stops', async () => {
    stage = await openPubsubStage()
    const heard = await stage.listen('slotSubscribe')
    stage.subscriptions.stop('Connect anew.')
    await stage.wait(50)
    expect(heard.lost).toEqual(['Connect anew.'])
    expect(sockets()).toEqual([0, 0, 0])
  })
})

describe('a hostile node', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', '{"params":{"subscription":1,'],
    ['a list', '[]'],
    ['an answer that nobody asked for', '{"id":99,"result":5}'],
    ['a refusal that nobody asked for', '{"id":99,"error":{"code":1,"message":""}}'],
    [
      'another subscription',
      '{"method":"x","params":{"subscription":777,"result":{"context":{"slot":5},"value":{}}}}',
    ],
    ['an answer without an id', '{"error":{"code":-32700,"message":"Parse error"},"id":null}'],
    ['depth', '['.repeat(100_000)],
  ])('that says %s changes nothing', async (_title, text) => {
    stage = await openPubsubStage()
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    stage.cluster.node('a').say(text)
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(1_000)
    expect(lamports(heard)).toEqual([1])
    expect(sockets()).toEqual([1, 0, 0])
  })

  test.each([
    ['a slot beyond all others', '{"context":{"slot":9007199254740991},"value":{"lamports":5}}'],
    ['a slot of 64 bits', '{"context":{"slot":18446744073709551615},"value":{"lamports":5}}'],
    ['no slot', '{"value":{"lamports":5}}'],
    ['no account', '{"context":{"slot":1001},"value":[]}'],
    ['a text', '"x"'],
  ])('that tells of %s is left, and nobody hears it', async (_title, result) => {
    stage = await openPubsubStage()
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    const id = 2
    const params = `{"result":${result},"subscription":${id}}`
    stage.cluster.node('a').say(`{"method":"accountNotification","params":${params}}`)
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(4_000)
    expect(lamports(heard)).toEqual([1])
    expect(sockets()).toEqual([0, 1, 0])
    expect(stage.log).toContainEqual(
      expect.objectContaining({ event: 'solana_subscription_socket', reason: 'garbage' }),
    )
  })

  test('that gives two subscriptions one name is left', async () => {
    stage = await openPubsubStage()
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    stage.cluster.node('a').refuses = () => 'silence'
    const other = stage.begin('signatureSubscribe', signatureOf(1), CONFIRMED)
    await turn()
    stage.cluster.node('a').say('{"id":3,"result":2}')
    await stage.wait(50)
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(4_000)
    expect([heard.told.length, other.told.length, other.done]).toEqual([1, 0, 0])
    expect(sockets()).toEqual([0, 1, 0])
  })

  test('that tells something before it grants it is heard all the same', async () => {
    stage = await openPubsubStage()
    await stage.listen('slotSubscribe')
    const { cluster } = stage
    cluster.node('a').refuses = (method) => (method === 'accountSubscribe' ? 'silence' : null)
    const heard = stage.begin('accountSubscribe', KEY, CONFIRMED)
    await stage.wait(50)
    const result = '{"context":{"slot":1000},"value":{"lamports":18446744073709551615}}'
    const params = `{"result":${result},"subscription":55}`
    cluster.node('a').say(`{"method":"accountNotification","params":${params}}`)
    expect(heard.texts).toEqual([])
    cluster.node('a').say('{"id":2,"result":55}')
    await turn()
    await stage.wait(50)
    expect(heard.texts).toEqual([result])
  })
})

function close({ opened }: Heard): void {
  if (opened === null || opened instanceof Rejection) throw new Error('it is not open')
  opened.close()
}

async function settled(heard: Heard): Promise<Heard> {
  for (let step = 0; heard.opened === null && step < 100; step++) await stage.wait(50)
  return heard
}
