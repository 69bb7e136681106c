import { type Account, type Commitment, PROGRAMS } from './solana-account.ts'
import type { Machine } from './solana-machine.ts'

export type Accounts = ReturnType<typeof openAccounts>

/** Keys as text sort as their bytes do once they are of one length: `1` is the digit zero. */
const KEY_CHARS_MAX = 44

/**
 * The accounts of the ledger: as they are in the open slot (`processed`), and as they were when the
 * last slot ended, which is final at once (`confirmed`, `finalized`).
 */
export function openAccounts(machine: Machine) {
  const present = openPresent(machine)
  /** The accounts that changed in the open slot, as they were before it. */
  let before = new Map<string, Account | null>()
  let changed: string[] = []

  const at = (pubkey: string, commitment: Commitment) => {
    const ended = commitment === 'processed' ? undefined : before.get(pubkey)
    return ended === undefined ? present.find(pubkey) : ended
  }

  const note = (pubkey: string, was: Account | null, is: Account | null) => {
    if (isSame(was, is)) return
    if (!before.has(pubkey)) before.set(pubkey, was)
    present.replace(pubkey, is)
  }

  return {
    at,
    /** All accounts of a program, ascending by the bytes of their keys. */
    ofProgram(program: string, commitment: Commitment): Account[] {
      const found = present.ofProgram(program)
      for (const [pubkey, account] of commitment === 'processed' ? [] : before) {
        if (account?.owner === program) found.set(pubkey, account)
        else found.delete(pubkey)
      }
      const sortable = [...found].map(([pubkey, account]) => {
        return [pubkey.padStart(KEY_CHARS_MAX, '1'), account] as const
      })
      return sortable.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, account]) => account)
    },
    /** Does `work`, which changes at most these accounts, and notes what it changed. */
    change<T>(pubkeys: readonly string[], work: () => T): T {
      const was = pubkeys.map(present.find)
      const result = work()
      for (const [index, pubkey] of pubkeys.entries()) {
        note(pubkey, was[index] ?? null, machine.account(pubkey))
      }
      return result
    },
    /** Writes an account past all rules, or says why not; without lamports it closes one. */
    put(account: Account): string | null {
      const was = present.find(account.pubkey)
      const fault = flawOf(was, account) ?? machine.put(account)
      if (fault === null) note(account.pubkey, was, account.lamports === 0n ? null : account)
      return fault
    },
    endSlot() {
      changed = [...before.keys()]
      before = new Map()
    },
    /** The accounts that changed in the slot that ended last. */
    get changed(): readonly string[] {
      return changed
    },
  }
}

/** The present accounts, without asking the machine twice: handing them over is slow. */
function openPresent(machine: Machine) {
  const accounts = new Map<string, Account>()
  const byProgram = new Map<string, Map<string, Account>>()

  const remember = (account: Account) => {
    accounts.set(account.pubkey, account)
    byProgram.get(account.owner)?.set(account.pubkey, account)
  }
  return {
    find(pubkey: string): Account | null {
      const known = accounts.get(pubkey)
      if (known !== undefined) return known
      const found = machine.account(pubkey)
      if (found !== null) remember(found)
      return found
    },
    ofProgram(program: string): Map<string, Account> {
      const known = byProgram.get(program)
      if (known !== undefined) return new Map(known)
      byProgram.set(program, new Map())
      for (const account of machine.accountsOf(program)) remember(account)
      return new Map(byProgram.get(program))
    },
    replace(pubkey: string, account: Account | null): void {
      const old = accounts.get(pubkey)
      if (old !== undefined) byProgram.get(old.owner)?.delete(pubkey)
      accounts.delete(pubkey)
      if (account !== null) remember(account)
    },
  }
}

/** A machine that misses a program or a sysvar it has known ends the process. */
function flawOf(was: Account | null, { executable, lamports }: Account): string | null {
  if (was === null) return null
  if (was.owner === PROGRAMS.sysvar) return 'a sysvar is changed by the ledger alone'
  const isProgram = executable && lamports > 0n
  return was.executable && !isProgram ? 'a program cannot be taken away' : null
}

function isSame(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b
  return (
    a.lamports === b.lamports &&
    a.rentEpoch === b.rentEpoch &&
    a.executable === b.executable &&
    a.owner === b.owner &&
    Buffer.compare(a.data, b.data) === 0
  )
}
