import { type SeededChoices, seededChoices } from '../../seeded-choices.ts'
import type { Account, RentExempt } from '../solana-account.ts'
import type { Accounts } from '../solana-accounts.ts'
import type { Sender } from '../solana-sender.ts'
import type { Slots } from '../solana-slots.ts'
import type { Pool } from './sample-accounts.ts'
import { amountIn, isFrozen, withAmount } from './token-account.ts'

/** The parts of a ledger that its own activity uses. */
export type LedgerParts = {
  accounts: Accounts
  slots: Slots
  send: Sender['send']
  rentExempt: RentExempt
}

/** An account that cannot be used is passed over, but not for ever. */
const PICKS_MAX = 8

/**
 * The steady change of a living ledger, past its programs: in each slot tokens move between about
 * so many accounts, always of one mint, so that its supply stays true.
 */
export function churn(
  { accounts, slots }: LedgerParts,
  pools: readonly Pool[],
  changes: number,
): void {
  const draw = seededChoices(slots.now, 0)
  // A step changes two accounts; one that finds nothing to change counts as well.
  for (let step = 0; step * 2 < changes; step++) {
    const pool = draw.pick(pools)
    const from = pick(accounts, draw, pool, (account) => amountIn(account) > 0n)
    const to = pick(accounts, draw, pool, () => true)
    if (from === null || to === null || from.pubkey === to.pubkey) continue
    const amount = part(draw, amountIn(from))
    accounts.put(withAmount(from, amountIn(from) - amount))
    accounts.put(withAmount(to, amountIn(to) + amount))
  }
}

/** One of the accounts that serves; null when none was found at once. */
function pick(
  accounts: Accounts,
  draw: SeededChoices,
  { keys, mint }: Pool,
  serves: (account: Account) => boolean,
): Account | null {
  for (let tries = 0; tries < PICKS_MAX && keys.length > 0; tries++) {
    const at = draw.between(0, keys.length - 1)
    const account = accounts.at(keys[at]!, 'processed')
    // A test may have closed it, or made another one of it.
    const isOurs = account !== null && Buffer.compare(account.data.subarray(0, 32), mint.key) === 0
    if (!isOurs) keys.splice(at, 1)
    else if (!isFrozen(account) && serves(account)) return account
  }
  return null
}

/** Between a two hundred and fifty-sixth and a quarter of it, and at least one. */
function part(draw: SeededChoices, amount: bigint): bigint {
  const taken = (amount * BigInt(draw.between(1, 64))) / 256n
  return taken === 0n ? 1n : taken
}
