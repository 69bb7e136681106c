import { afterEach, describe, expect, test } from 'bun:test'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import { type IndexStage, openIndexStage } from '../../../tests/support/solana/index-stage.ts'
import { clockText, newsText, recordsOf } from '../../../tests/support/solana/scripted-ledger.ts'

let stage: IndexStage

afterEach(() => stage.stop())

async function openLive(options: Parameters<typeof openIndexStage>[0] = {}): Promise<void> {
  stage = await openIndexStage(options)
  stage.ledger.put(keyOf(1), Uint8Array.of(1))
  stage.ledger.put(keyOf(2), Uint8Array.of(2))
  await stage.run(6_000)
  await stage.check()
}

/** Everything is read again after this. */
async function expectRescan(reason: string): Promise<void> {
  const before = stage.node.asked.filter((what) => what === 'full').length
  await stage.run(16_000)
  expect(stage.node.asked.filter((what) => what === 'full').length).toBeGreaterThan(before)
  expect(lostReasons()).toContain(reason)
  await stage.check()
}

function lostReasons() {
  return stage.log
    .filter(({ event, state }) => event === 'account_index_socket' && state === 'lost')
    .map(({ reason }) => reason)
}

describe('after something was missed, everything is read again', () => {
  test('a socket that breaks', async () => {
    await openLive()
    stage.node.hangUp()
    stage.ledger.put(keyOf(1), Uint8Array.of(8))
    await expectRescan('lost')
  })

  test('a block of which nobody told, though nothing else looks odd', async () => {
    await openLive()
    const slot = stage.ledger.slot + 1
    stage.node.losesBlock = (one) => one === slot
    stage.ledger.put(keyOf(1), Uint8Array.of(8))
    await expectRescan('gap')
  })

  test('a change of which nobody told, when its keys are looked at', async () => {
    await openLive()
    stage.node.losesChange = () => true
    stage.ledger.put(keyOf(1), Uint8Array.of(8), 77n)
    stage.ledger.mine()
    stage.node.losesChange = () => false
    await stage.run(12_000)
    await stage.check()
    expect(stage.node.asked.filter((what) => what === 'full')).toHaveLength(2)
    expect(stage.index.report()[0]?.last_fault).toBe('differs')
  })

  test('a slot that turns out to be of another fork, and nobody is shown it as final', async () => {
    await openLive()
    stage.ledger.put(keyOf(1), Uint8Array.of(66))
    await stage.run(4_000)
    stage.ledger.drop(5)
    stage.ledger.put(keyOf(1), Uint8Array.of(1))
    const call = stage.call({ commitment: 'finalized' })
    for (let block = 0; block < 40; block++) {
      await stage.run(400)
      const slot = Number(stage.index.covers(call)?.slot ?? stage.ledger.blocks()[0])
      expect(stage.ledger.blocks()).toContain(slot)
    }
    expect(lostReasons()).toContain('slot_dropped')
    expect(stage.ledger.blocks()).toContain(await stage.check())
    await stage.check({ commitment: 'finalized' })
  })
})

describe('meanwhile', () => {
  test('it shows what it is sure of, and a node is asked when that is too old', async () => {
    await openLive()
    const slot = await stage.check()
    stage.node.refusesSockets = true
    stage.node.hangUp()
    await stage.run(4_000)
    expect(await stage.check()).toBe(slot)
    expect(stage.index.report()[0]).toMatchObject({ state: 'catching_up', slot })
    await stage.run(40_000)
    expect(stage.index.covers(stage.call())).toBeNull()
    stage.node.refusesSockets = false
    await stage.run(60_000)
    await stage.check()
  })

  test.each([
    ['breaks off', () => (stage.node.breaksOff = true)],
    ['is behind', () => (stage.node.lagBlocks = 30)],
    ['refuses', () => (stage.node.refusal = { code: -32010, message: 'excluded' })],
  ])('a node that %s changes nothing', async (_title, fault) => {
    await openLive()
    fault()
    stage.ledger.put(keyOf(1), Uint8Array.of(8))
    const slot = await stage.check()
    await stage.run(10_000)
    expect(await stage.check()).toBe(slot)
  })

  test('without a socket there is no index, and no scan either', async () => {
    stage = await openIndexStage({ ws: false })
    await stage.run(20_000)
    expect(stage.index.covers(stage.call())).toBeNull()
    expect(stage.node.asked).toEqual([])
    expect(lostReasons()).toEqual(['no_socket'])
  })

  test('an order of the records that no node has is as good as any', async () => {
    stage = await openIndexStage()
    stage.node.shuffles = true
    for (let number = 1; number < 60; number++) stage.ledger.put(keyOf(number), Uint8Array.of(1))
    await stage.run(6_000)
    await stage.check()
  })

  test('a socket that falls silent while the ledger goes on is given up', async () => {
    await openLive()
    stage.node.losesBlock = () => true
    await stage.run(24_000)
    expect(lostReasons()).toContain('silent')
  })
})

describe('what a hostile node says over the socket', () => {
  const record = () => recordsOf(stage.ledger.at(stage.ledger.slot) ?? []).split(',{')[0] ?? ''
  const about = (slot: number, value: string) =>
    newsText(stage.node.programSubscription, slot, value, 'programNotification')

  test.each([
    ['no JSON', () => '<html>'],
    ['an array', () => '[]'],
    ['the answer to nothing', () => '{"id":77,"result":5}'],
    ['news for nobody', () => newsText(99, 5, '{}', 'programNotification')],
    ['deep nesting', () => `{"params":${'{"a":'.repeat(10_000)}`],
    ['a clock twice', () => newsText(11, stage.ledger.slot, clockText(stage.ledger.slot, 1n), 'x')],
  ])('%s is passed over', async (_title, text) => {
    await openLive()
    stage.node.say(text())
    await stage.run(8_000)
    await stage.check()
    expect(lostReasons()).toEqual([])
  })

  test.each([
    ['a record that is none', 'garbage', () => about(stage.ledger.slot, '{"pubkey":1}')],
    [
      'an account of another program',
      'garbage',
      () =>
        about(
          stage.ledger.slot,
          record().replaceAll(
            'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
            'Vote111111111111111111111111111111111111111',
          ),
        ),
    ],
    ['a change of the past', 'out_of_order', () => about(stage.ledger.slot - 1, record())],
    ['a clock that goes back', 'out_of_order', () => newsText(11, 900, clockText(900, 1n), 'x')],
    ['a clock of another slot', 'garbage', () => newsText(11, 5_000, clockText(900, 1n), 'x')],
    ['a refusal', 'refused', () => '{"id":2,"error":{"code":-32603,"message":"no"}}'],
    ['a slot from the future', 'slot_dropped', () => about(stage.ledger.slot + 3, record())],
  ])('%s ends the line, and everything is read again', async (_title, reason, text) => {
    await openLive()
    stage.node.say(text())
    stage.ledger.mine(6)
    await expectRescan(reason)
  })
})
