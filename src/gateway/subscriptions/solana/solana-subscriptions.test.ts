import { afterEach, describe, expect, test } from 'bun:test'
import { PROGRAM, pubkeyOf, signatureOf } from '../../../../tests/support/pubsub-cluster.ts'
import {
  type Heard,
  openPubsubStage,
  type PubsubStage,
} from '../../../../tests/support/pubsub-stage.ts'
import { settled as turn } from '../../../../tests/support/test-clock.ts'
import { Rejection } from '../../../core/errors.ts'

const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }
const KEY = pubkeyOf(0)

let stage: PubsubStage
afterEach(() => stage.stop())

const lamports = ({ told }: Heard) => told.map(({ value }) => value.lamports)
const slots = ({ told }: Heard) => told.map(({ context }) => context.slot)
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

  test('are bounded, however many share one', async () => {
    stage = await openPubsubStage(['a'])
    const begin = (bytes: number) =>
      stage.begin('programSubscribe', PROGRAM, { filters: [{ dataSize: bytes }] })
    for (let bytes = 0; bytes < 10_000; bytes++) begin(bytes)
    const beyond = stage.begin('slotSubscribe')
    const sharing = begin(0)
    stage.subscriptions.stop('Connect anew.')
    await settled(sharing)
    const message = 'SOLANA_TEST has 10000 different subscriptions open, which is the limit.'
    expect(beyond.opened).toMatchObject({ code: 'overloaded', message })
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

describe('when a node is lost', () => {
  const losses: [string, (name: string) => unknown][] = [
    ['dies', (name) => die(name)],
    ['hangs', (name) => Object.assign(stage.cluster.node(name), { isHung: true })],
    ['falls behind', (name) => Object.assign(stage.cluster.node(name), { lag: 200 })],
    ['hangs up', (name) => stage.cluster.node(name).hangUp()],
  ]

  test.each(losses)(
    'and %s, an account is read again and goes on elsewhere',
    async (_how, lose) => {
      stage = await openPubsubStage()
      const { cluster } = stage
      const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
      cluster.mine({ accounts: [KEY] })
      await stage.run(2_000)
      lose('a')
      cluster.mine({ accounts: [KEY] })
      cluster.mine({ accounts: [KEY] })
      await stage.run(30_000)
      cluster.mine({ accounts: [KEY] })
      await stage.run(2_000)
      expect(heard.lost).toEqual([])
      expect(lamports(heard).at(-1)).toBe(cluster.valueAt(KEY, 'confirmed') ?? 0)
      expect(slots(heard)).toEqual(slots(heard).toSorted((a, b) => a - b))
      expect(cluster.node('b').wires.size).toBe(1)
    },
  )

  test('an account that was closed meanwhile is told as an empty one', async () => {
    stage = await openPubsubStage()
    const { cluster } = stage
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    for (let change = 1; change < 7; change++) cluster.mine({ accounts: [KEY] })
    await stage.run(1_000)
    die('a')
    // The seventh change of a cluster closes an account.
    cluster.mine({ accounts: [KEY] })
    await stage.run(5_000)
    expect(lamports(heard)).toEqual([1, 2, 3, 4, 5, 6, 0])
    const gone = { data: ['', 'base64'], executable: false, lamports: 0, rentEpoch: 0, space: 0 }
    expect(heard.told.at(-1).value).toMatchObject(gone)
  })

  test('an account that did not change is not told again', async () => {
    stage = await openPubsubStage()
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(1_000)
    die('a')
    await stage.run(5_000)
    expect(lamports(heard)).toEqual([1])
    expect(stage.cluster.nodes.flatMap(({ posted }) => posted)).toContain('getAccountInfo')
  })

  test('a transaction that landed meanwhile is told once', async () => {
    stage = await openPubsubStage()
    const { cluster } = stage
    const soon = await stage.listen('signatureSubscribe', signatureOf(1), CONFIRMED)
    const late = await stage.listen('signatureSubscribe', signatureOf(1), {
      commitment: 'finalized',
      enableReceivedNotification: true,
    })
    const never = await stage.listen('signatureSubscribe', signatureOf(2), CONFIRMED)
    die('a')
    cluster.mine({ landed: [signatureOf(1)] })
    await stage.run(10_000)
    expect(soon.told.map(({ value }) => value)).toEqual([{ err: null }])
    expect(late.told.map(({ value }) => value)).toEqual(['receivedSignature', { err: null }])
    expect([soon.done, late.done, never.done]).toEqual([1, 1, 0])
    expect(never.told).toEqual([])
  })

  test('slots and roots go on without a gap, and never back', async () => {
    stage = await openPubsubStage()
    const { cluster } = stage
    const heard = await stage.listen('slotSubscribe')
    const roots = await stage.listen('rootSubscribe')
    await stage.run(4_000)
    die('a')
    cluster.node('b').lag = 3
    await stage.run(4_000, () => cluster.mine({}, 2))
    const told = heard.told.map(({ slot }) => slot)
    expect(told).toEqual(blocksBetween(told))
    expect(told.length).toBeGreaterThan(15)
    expect(heard.told.map(({ parent }) => parent).slice(1)).toEqual(told.slice(0, -1))
    expect(roots.told).toEqual(blocksBetween(roots.told))
    expect([heard.lost, roots.lost]).toEqual([[], []])
  })

  test('for longer than can be made up for, who hears slots is told to connect anew', async () => {
    stage = await openPubsubStage(['a'])
    const heard = await stage.listen('slotSubscribe')
    await stage.run(1_000)
    stage.cluster.node('a').hangUp()
    stage.cluster.mine({}, 1_600)
    await stage.run(3_000)
    expect(heard.lost).toHaveLength(1)
  })

  test('who hears logs, or a program without filters, is told to connect anew', async () => {
    stage = await openPubsubStage()
    const logs = await stage.listen('logsSubscribe', 'all', CONFIRMED)
    const program = await stage.listen('programSubscribe', PROGRAM, CONFIRMED)
    const slot = await stage.listen('slotSubscribe')
    stage.cluster.mine({ accounts: [KEY], landed: [signatureOf(1)] })
    await stage.run(2_000)
    expect([logs.told.length, program.told.length]).toEqual([1, 1])
    die('a')
    await stage.run(3_000)
    expect([logs.lost.length, program.lost.length, slot.lost.length]).toEqual([1, 1, 0])
    const again = await stage.listen('logsSubscribe', 'all', CONFIRMED)
    stage.cluster.mine({ landed: [signatureOf(2)] })
    await stage.run(1_000)
    expect(again.told.map(({ value }) => value.signature)).toEqual([signatureOf(2)])
  })

  test('the accounts of a program with filters are read again', async () => {
    stage = await openPubsubStage()
    const { cluster } = stage
    const keys = [0, 1, 2].map(pubkeyOf)
    const heard = await stage.listen('programSubscribe', PROGRAM, {
      ...CONFIRMED,
      filters: [{ dataSize: 1 }],
    })
    cluster.mine({ accounts: keys.slice(0, 2) })
    await stage.run(1_000)
    die('a')
    cluster.mine({ accounts: keys.slice(1) })
    await stage.run(5_000)
    const told = heard.told.map(({ value }) => [value.pubkey, value.account.lamports])
    expect(told).toEqual([
      [keys[0], 1],
      [keys[1], 2],
      [keys[1], 3],
      [keys[2], 4],
    ])
    expect(heard.lost).toEqual([])
  })

  test('a subscription that the next node refuses is lost alone', async () => {
    stage = await openPubsubStage(['a', 'b'])
    const account = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    const root = await stage.listen('rootSubscribe')
    stage.cluster.node('b').refuses = (method) =>
      method === 'accountSubscribe' ? { code: -32602, message: 'no' } : null
    die('a')
    await stage.run(3_000)
    expect(account.lost).toEqual(['The next node refused the subscription. Connect anew.'])
    expect(root.lost).toEqual([])
  })

  test('who subscribes meanwhile waits for the next one', async () => {
    stage = await openPubsubStage()
    await stage.listen('slotSubscribe')
    die('a')
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    stage.cluster.mine({ accounts: [KEY] })
    await stage.run(1_000)
    expect(heard.told).toHaveLength(1)
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
    cluster.node('a').say('{"id":2,"result":55}')
    expect(heard.texts).toEqual([])
    await turn()
    await stage.wait(50)
    expect(heard.texts).toEqual([result])
  })
})

function die(name: string): void {
  const node = stage.cluster.node(name)
  node.isDead = true
  node.hangUp()
}

function close({ opened }: Heard): void {
  if (opened === null || opened instanceof Rejection) throw new Error('it is not open')
  opened.close()
}

async function settled(heard: Heard): Promise<Heard> {
  for (let step = 0; heard.opened === null && step < 100; step++) await stage.wait(50)
  return heard
}

/** All blocks from the first of these slots to the last. */
function blocksBetween(told: readonly number[]): number[] {
  const [first = 0] = told
  const last = told.at(-1) ?? 0
  return stage.cluster.slots().filter((slot) => slot >= first && slot <= last)
}
