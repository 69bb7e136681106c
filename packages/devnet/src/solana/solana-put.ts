import type { Account } from '../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS, sameKey } from '../../../../src/core/solana/programs.ts'
import type { AccountHistory } from './solana-account-history.ts'
import type { Machine } from './solana-machine.ts'
import type { Slots } from './solana-slots.ts'

type Needs = { machine: Machine; history: AccountHistory; slots: Slots }

/** Writes accounts past all rules, or says in words why not; without lamports it closes one. */
export type SolanaPut = (account: Account) => string | null

export function solanaPut({ machine, history, slots }: Needs): SolanaPut {
  return (account) => {
    const flaw = flawOf(history.at(account.pubkey, slots.now), account)
    return flaw ?? history.change([account.pubkey], () => machine.put(account))
  }
}

/** A machine that misses a program or a sysvar it has known ends the process. */
function flawOf(was: Account | null, { executable, lamports }: Account): string | null {
  if (was === null) return null
  if (sameKey(was.owner, PROGRAM_KEYS.sysvar)) return 'a sysvar is changed by the ledger alone'
  const isProgram = executable && lamports > 0n
  return was.executable && !isProgram ? 'a program cannot be taken away' : null
}
