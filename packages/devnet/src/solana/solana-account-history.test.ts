import { describe, expect, test } from 'bun:test'
import type { Account } from '../../../../src/core/solana/account.ts'
import { openAccountHistory } from './solana-account-history.ts'
import type { Machine } from './solana-machine.ts'

const [PROGRAM, OTHER_PROGRAM] = [key(200), key(201)]
const FIRST = 100
const SLOTS_KEPT = 4

describe('the accounts of a few slots', () => {
  test('an account that was made is there from its slot on, and not before', () => {
    const { history, put } = ledger()
    history.openSlot(101)
    put(account(1, 5n))
    history.openSlot(102)
    expect(history.at(key(1), 100)).toBeNull()
    expect(history.at(key(1), 101)?.lamports).toBe(5n)
    expect(history.at(key(1), 102)?.lamports).toBe(5n)
  })

  test('an account that changes in every slot has the state of each', () => {
    const { history, put } = ledger()
    for (let slot = 101; slot <= 103; slot++) {
      history.openSlot(slot)
      put(account(1, BigInt(slot)))
      put(account(1, BigInt(slot) * 10n))
    }
    const seen = [100, 101, 102, 103].map((slot) => history.at(key(1), slot)?.lamports)
    expect(seen).toEqual([undefined, 1_010n, 1_020n, 1_030n])
  })

  test('one that was closed and made again was away in between', () => {
    const { history, put } = ledger([account(1, 5n)])
    history.openSlot(101)
    put(account(1, 0n))
    history.openSlot(102)
    put(account(1, 7n))
    const seen = [100, 101, 102].map((slot) => history.ofProgram(PROGRAM, slot).map(lamportsOf))
    expect(seen).toEqual([[5n], [], [7n]])
  })

  test('one that goes to another program is in either list at its time', () => {
    const { history, put } = ledger([account(1, 5n)])
    history.openSlot(101)
    put({ ...account(1, 5n), owner: OTHER_PROGRAM })
    expect(history.ofProgram(PROGRAM, 100)).toHaveLength(1)
    expect(history.ofProgram(OTHER_PROGRAM, 100)).toHaveLength(0)
    expect(history.ofProgram(PROGRAM, 101)).toHaveLength(0)
    expect(history.ofProgram(OTHER_PROGRAM, 101)).toHaveLength(1)
  })

  test('what was there from the beginning is found, whether or not it was touched before', () => {
    const { history, put } = ledger([account(1, 5n), account(2, 6n)])
    history.openSlot(101)
    put(account(2, 60n))
    put(account(3, 7n))
    expect(history.ofProgram(PROGRAM, 100).map(lamportsOf)).toEqual([5n, 6n])
    expect(history.ofProgram(PROGRAM, 101).map(lamportsOf)).toEqual([5n, 60n, 7n])
  })

  test('lists are sorted by the bytes of the keys, whatever came first', () => {
    const numbers = [254, 3, 128, 127, 0, 90, 255]
    const { history, put } = ledger()
    for (const number of numbers) put(account(number, 1n))
    const found = history.ofProgram(PROGRAM, FIRST).map(({ pubkey }) => pubkey[0])
    expect(found).toEqual([0, 3, 90, 127, 128, 254, 255])
  })

  test('what a slot changed is told once, as it was at the end of it', () => {
    const { history, put } = ledger([account(1, 5n), account(2, 5n)])
    history.openSlot(101)
    put(account(1, 6n))
    put(account(1, 7n))
    put(account(2, 0n))
    put(account(3, 5n))
    put(account(3, 5n))
    history.openSlot(102)
    put(account(1, 8n))
    const news = history.changedIn(101).map((one) => [one.pubkey[0], one.account?.lamports ?? null])
    expect(news).toEqual([
      [1, 7n],
      [2, null],
      [3, 5n],
    ])
    expect(history.changedIn(100)).toEqual([])
  })

  test('a change back to what was leaves nothing to tell for those who look at the end', () => {
    const { history, put } = ledger([account(1, 5n)])
    put(account(1, 5n))
    expect(history.changedIn(FIRST)).toEqual([])
  })

  test('only so many slots are kept', () => {
    const { history, put } = ledger()
    for (let slot = 101; slot <= 110; slot++) {
      history.openSlot(slot)
      put(account(1, BigInt(slot)))
    }
    expect(history.changedIn(106)).toEqual([])
    expect(history.changedIn(107)).toHaveLength(1)
    expect(history.at(key(1), 107)?.lamports).toBe(107n)
  })
})

/** A history over a machine that is only a list. */
function ledger(there: readonly Account[] = []) {
  const accounts = new Map(there.map((one) => [one.pubkey.toHex(), one]))
  const machine = {
    account: (pubkey: Uint8Array) => accounts.get(pubkey.toHex()) ?? null,
    accountsOf: (program: Uint8Array) =>
      [...accounts.values()].filter(({ owner }) => owner.toHex() === program.toHex()),
  } as Machine
  const history = openAccountHistory(machine, FIRST, SLOTS_KEPT)
  const put = (one: Account) =>
    history.change([one.pubkey], () => {
      if (one.lamports === 0n) accounts.delete(one.pubkey.toHex())
      else accounts.set(one.pubkey.toHex(), one)
    })
  return { history, put }
}

function account(number: number, lamports: bigint): Account {
  const data = Uint8Array.of(number)
  return { pubkey: key(number), owner: PROGRAM, lamports, rentEpoch: 0n, executable: false, data }
}

function key(number: number): Uint8Array {
  return new Uint8Array(32).fill(number)
}

function lamportsOf(one: Account): bigint {
  return one.lamports
}
