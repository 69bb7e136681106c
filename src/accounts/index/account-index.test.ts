import { afterEach, describe, expect, test } from 'bun:test'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import { type IndexStage, openIndexStage } from '../../../tests/support/solana/index-stage.ts'
import { recordsOf } from '../../../tests/support/solana/scripted-ledger.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'

let stage: IndexStage

afterEach(() => stage.stop())

/** A stage whose index is live on two accounts. */
async function openLive(options: Parameters<typeof openIndexStage>[0] = {}): Promise<void> {
  stage = await openIndexStage(options)
  stage.ledger.put(keyOf(1), Uint8Array.of(1))
  stage.ledger.put(keyOf(2), Uint8Array.of(2))
  await stage.run(6_000)
  await stage.check()
}

describe('an index of our own', () => {
  test('is filled by one scan, and hears of what changes since', async () => {
    await openLive()
    stage.ledger.put(keyOf(2), Uint8Array.of(3))
    stage.ledger.put(keyOf(3), Uint8Array.of(3), 2n ** 64n - 1n)
    await stage.run(8_000)
    const slot = await stage.check()
    expect(stage.node.asked.filter((what) => what === 'full')).toHaveLength(1)
    expect(await shownAt(slot)).toContain('"lamports":18446744073709551615,')
    expect(await stage.check({ order: 'desc' })).toBe(slot)
  })

  test('finds closed accounts by their keys, of which no node tells', async () => {
    await openLive()
    stage.ledger.close(keyOf(1))
    await stage.run(8_000)
    const slot = await stage.check()
    expect(await shownAt(slot)).toBe(recordsOf(stage.ledger.at(slot) ?? []))
    expect(await shownAt(slot)).not.toContain('"AQ=="')
    expect(stage.node.asked.filter((what) => what === 'full')).toHaveLength(1)
  })

  test('shows a walk one moment, whatever happens meanwhile', async () => {
    await openLive()
    const call = stage.call()
    const covered = stage.index.covers(call)
    const slot = covered?.slot ?? 0n
    const place = { slot, after: null, limit: 1, bytesMax: 1e9, teamId: 'team' }
    const first = await stage.index.page(call, place)
    expect(first).toMatchObject({ count: 1, last: keyOf(1), more: true })

    stage.ledger.put(keyOf(2), Uint8Array.of(9))
    stage.ledger.close(keyOf(1))
    await stage.run(20_000)
    const second = await stage.index.page(call, { ...place, after: keyOf(1) })
    if (typeof second === 'string' || isSolanaError(second)) throw new Error('it is gone')
    expect(Buffer.concat(second.bytes).toString()).toContain('"Ag=="')
    expect(second.more).toBe(false)
    expect(await stage.check()).toBeGreaterThan(Number(slot))
  })

  test('says that a moment is gone when it has been kept long enough', async () => {
    await openLive({ keepMs: 10_000 })
    const call = stage.call()
    const slot = stage.index.covers(call)?.slot ?? 0n
    await stage.run(50_000)
    const place = { slot, after: null, limit: 1, bytesMax: 1e9, teamId: 'team' }
    expect(await stage.index.page(call, place)).toBe('gone')
    expect(await stage.index.page(call, { ...place, slot: slot + 1n })).toBe('gone')
    await stage.check()
  })

  test('begins with what its file holds when it is started again', async () => {
    await openLive()
    await stage.restart()
    expect(stage.index.covers(stage.call())).toBeNull()
    stage.ledger.close(keyOf(1))
    await stage.run(8_000)
    await stage.check()
    expect(stage.index.report()[0]).toMatchObject({ state: 'live', accounts: 1 })
  })
})

describe('what it shows for a commitment', () => {
  test('confirmed: the newest moment it is sure of', async () => {
    await openLive()
    expect(stage.ledger.slot - (await stage.check())).toBeLessThan(15)
  })

  test('finalized: a moment that cannot be taken back', async () => {
    await openLive()
    await stage.run(8_000)
    const slot = await stage.check({ commitment: 'finalized' })
    expect(slot).toBeLessThanOrEqual(stage.ledger.finalSlot)
    expect(stage.ledger.finalSlot - slot).toBeLessThan(20)
  })

  test('processed: nothing, which is what it knows', async () => {
    await openLive()
    expect(stage.index.covers(stage.call({ commitment: 'processed' }))).toBeNull()
  })

  test('a slot that is ahead of it: nothing', async () => {
    await openLive()
    const slot = stage.index.covers(stage.call())?.slot ?? 0n
    expect(stage.index.covers(stage.call({ minContextSlot: Number(slot) }))).toEqual({ slot })
    expect(stage.index.covers(stage.call({ minContextSlot: Number(slot) + 1 }))).toBeNull()
  })

  test('a program that is not indexed: nothing', async () => {
    await openLive()
    const call = { ...stage.call(), programText: 'Vote111111111111111111111111111111111111111' }
    expect(stage.index.covers(call)).toBeNull()
    const place = { slot: 1_000n, after: null, limit: 1, bytesMax: 1e9, teamId: 'team' }
    expect(await stage.index.page(call, place)).toBe('gone')
  })

  test('what changed since a slot', async () => {
    await openLive()
    await stage.run(4_000)
    const since = stage.ledger.slot
    stage.ledger.put(keyOf(2), Uint8Array.of(5))
    await stage.run(8_000)
    const call = stage.call({ changedSinceSlot: since })
    const slot = stage.index.covers(call)?.slot ?? 0n
    expect(await stage.read(call, slot)).toBe(
      recordsOf((stage.ledger.at(Number(slot)) ?? []).filter(({ data }) => data[0] === 5)),
    )
  })

  test('a refusal of the node, where it would refuse', async () => {
    await openLive()
    stage.ledger.put(keyOf(3), new Uint8Array(129))
    await stage.run(8_000)
    const call = stage.call({ encoding: 'base58' })
    const slot = stage.index.covers(call)?.slot ?? 0n
    const page = await stage.index.page(call, {
      slot,
      after: null,
      limit: 9,
      bytesMax: 1e9,
      teamId: 'team',
    })
    expect(page).toMatchObject({ code: -32600 })
  })
})

async function shownAt(slot: number): Promise<string> {
  return stage.read(stage.call(), BigInt(slot))
}
