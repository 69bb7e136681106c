import { afterEach, describe, expect, test } from 'bun:test'
import { PROGRAM } from '../../../../tests/support/solana/pubsub-answers.ts'
import { pubkeyOf, signatureOf } from '../../../../tests/support/solana/pubsub-cluster.ts'
import {
  type Heard,
  openPubsubStage,
  type PubsubStage,
} from '../../../../tests/support/solana/pubsub-stage.ts'

const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }
const KEY = pubkeyOf(0)

let stage: PubsubStage
afterEach(() => stage.stop())

const lamports = ({ told }: Heard) => told.map(({ value }) => value.lamports)
const slots = ({ told }: Heard) => told.map(({ context }) => context.slot)

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

  test('an answer older than what was told counts for nothing', async () => {
    stage = await openPubsubStage(['a', 'b'])
    const { cluster } = stage
    Object.assign(cluster.node('b'), { lag: 5, ignoresMinimum: true })
    const heard = await stage.listen('accountSubscribe', KEY, CONFIRMED)
    cluster.mine({ accounts: [KEY] })
    await stage.run(3_000)
    cluster.mine({ accounts: [KEY] })
    await stage.run(800)
    die('a')
    await stage.run(4_000)
    expect(lamports(heard)).toEqual([1, 2])
    cluster.mine({ accounts: [KEY] })
    await stage.run(6_000)
    expect(lamports(heard)).toEqual([1, 2, 3])
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

function die(name: string): void {
  const node = stage.cluster.node(name)
  node.isDead = true
  node.hangUp()
}

/** All blocks from the first of these slots to the last. */
function blocksBetween(told: readonly number[]): number[] {
  const [first = 0] = told
  const last = told.at(-1) ?? 0
  return stage.cluster.slots().filter((slot) => slot >= first && slot <= last)
}
