import { assert } from '../../../../src/core/errors.ts'
import type { Account } from '../../../../src/core/solana/account.ts'
import { decodeKey } from '../../../../src/core/solana/base58.ts'
import { sameKey } from '../../../../src/core/solana/programs.ts'
import type { Machine } from './solana-machine.ts'

/**
 * The accounts of the ledger now, and as they were a few slots ago. The machine knows only the
 * present, so everything that is changed is noted here before and after.
 */
export type AccountHistory = {
  /** Changes from here on belong to this slot; what is further back than kept is forgotten. */
  openSlot(slot: number): void
  at(key: Uint8Array, slot: number): Account | null
  /** All accounts of a program at a slot, ascending by the bytes of their keys. */
  ofProgram(program: Uint8Array, slot: number): Account[]
  /** All accounts of the ledger at a slot, in no order. */
  all(slot: number): Account[]
  /** Writes accounts that were there before the first slot; says in words which was refused. */
  adopt(accounts: readonly Account[]): string | null
  /** Does `work`, which changes at most these accounts, and notes what it changed. */
  change<T>(keys: readonly Uint8Array[], work: () => T): T
  /** Each account changed in a slot, as it was at its end; null: closed. */
  changedIn(slot: number): { pubkey: Uint8Array; account: Account | null }[]
}

/** Hears of each account that changed; null: it is gone. The id is its key in hex. */
export type HearChange = (id: string, account: Account | null) => void

/** The accounts changed in a slot, as they were before it; null: they were not there. */
type SlotChanges = { slot: number; before: Map<string, Account | null> }

/** The owners of what a new machine has; others are met when they first own something. */
const FIRST_OWNERS = [
  '11111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
].map((text) => decodeKey(text) as Uint8Array)

export function openAccountHistory(
  machine: Machine,
  firstSlot: number,
  slotsKept: number,
  hear: HearChange = () => {},
): AccountHistory {
  assert(slotsKept > 0, 'the history looks back at least one slot')
  const present = openPresent(machine)
  let changes: SlotChanges[] = [{ slot: firstSlot, before: new Map() }]

  /** The oldest note after a slot says what was there at its end. */
  const at = (key: Uint8Array, slot: number) => {
    const id = idOf(key)
    const noted = changes
      .find((change) => change.slot > slot && change.before.has(id))
      ?.before.get(id)
    return noted === undefined ? present.find(id, key) : noted
  }

  const ofProgram = (program: Uint8Array, slot: number) => {
    const found = present.ofProgram(program)
    for (const change of changes.toReversed()) {
      if (change.slot <= slot) break
      for (const [id, account] of change.before) {
        if (account !== null && sameKey(account.owner, program)) found.set(id, account)
        else found.delete(id)
      }
    }
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([, account]) => account)
  }

  return {
    openSlot(slot) {
      changes = [...changes, { slot, before: new Map<string, Account | null>() }].slice(-slotsKept)
    },
    at,
    ofProgram,
    all: (slot) => present.owners().flatMap((owner) => ofProgram(owner, slot)),
    change(keys, work) {
      const before = keys.map((key) => present.find(idOf(key), key))
      const result = work()
      const { before: noted } = changes.at(-1)!
      for (const [at, key] of keys.entries()) {
        const id = idOf(key)
        const was = before[at] ?? null
        const is = machine.account(key)
        if (isSame(was, is)) continue
        if (!noted.has(id)) noted.set(id, was)
        present.replace(id, is)
        hear(id, is)
      }
      return result
    },
    adopt(accounts) {
      // Their programs are read now, while they own little: handing over is slow.
      const owners = new Map(accounts.map(({ owner }) => [idOf(owner), owner]))
      for (const owner of owners.values()) present.ofProgram(owner)
      for (const account of accounts) {
        const fault = machine.put(account)
        const id = idOf(account.pubkey)
        if (fault !== null) return `${id}: ${fault}`
        present.replace(id, account)
        hear(id, account)
      }
      return null
    },
    changedIn(slot) {
      const change = changes.find((one) => one.slot === slot)
      return [...(change?.before.keys() ?? [])].map((id) => {
        const pubkey = Uint8Array.fromHex(id)
        return { pubkey, account: at(pubkey, slot) }
      })
    },
  }
}

/** The present accounts, without asking the machine twice: handing them over is slow. */
function openPresent(machine: Machine) {
  const accounts = new Map<string, Account>()
  const idsOf = new Map<string, Set<string>>()
  const programsRead = new Set<string>()

  const remember = (id: string, account: Account) => {
    accounts.set(id, account)
    const program = idOf(account.owner)
    const ids = idsOf.get(program)
    if (ids === undefined) idsOf.set(program, new Set([id]))
    else ids.add(id)
  }

  return {
    find(id: string, key: Uint8Array): Account | null {
      const known = accounts.get(id)
      if (known !== undefined) return known
      const found = machine.account(key)
      if (found !== null) remember(id, found)
      return found
    },
    ofProgram(program: Uint8Array): Map<string, Account> {
      const programId = idOf(program)
      // Accounts from the beginning are met when somebody first asks for their program.
      const met = programsRead.has(programId) ? [] : machine.accountsOf(program)
      programsRead.add(programId)
      for (const account of met) {
        const id = idOf(account.pubkey)
        if (!accounts.has(id)) remember(id, account)
      }
      const ids = idsOf.get(programId) ?? []
      return new Map([...ids].map((id) => [id, accounts.get(id)!]))
    },
    /** All programs that own something, or did. */
    owners(): Uint8Array[] {
      const ids = new Set([...FIRST_OWNERS.map(idOf), ...idsOf.keys()])
      return [...ids].map((id) => Uint8Array.fromHex(id))
    },
    replace(id: string, account: Account | null): void {
      const known = accounts.get(id)
      if (known !== undefined) idsOf.get(idOf(known.owner))?.delete(id)
      accounts.delete(id)
      if (account !== null) remember(id, account)
    },
  }
}

/** Such texts sort as the bytes do. */
function idOf(key: Uint8Array): string {
  return key.toHex()
}

function isSame(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b
  return (
    a.lamports === b.lamports &&
    a.rentEpoch === b.rentEpoch &&
    a.executable === b.executable &&
    sameKey(a.owner, b.owner) &&
    Buffer.compare(a.data, b.data) === 0
  )
}
