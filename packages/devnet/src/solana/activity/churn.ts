import { type SeededChoices, seededChoices } from '../../seeded-choices.ts'
import { type Account, newAccount, type RentExempt, sampleKey } from '../solana-account.ts'
import type { Accounts } from '../solana-accounts.ts'
import type { Sender } from '../solana-sender.ts'
import type { Slots } from '../solana-slots.ts'
import type { Pool } from './sample-accounts.ts'
import { amountIn, isFrozen, ownerIn, tokenAccount, withAmount } from './token-account.ts'

/** The parts of a ledger that its own activity uses. */
export type LedgerParts = {
  accounts: Accounts
  slots: Slots
  send: Sender['send']
  rentExempt: RentExempt
}

/** These are never closed, so that a manual can name them. */
const LASTING = 32

/** One of so many steps makes or closes an account instead of moving tokens. */
const MOVES_PER_CREATION = 6
/** An account that cannot be used is passed over, but not for ever. */
const PICKS_MAX = 8

/**
 * The steady change of a living ledger, past its programs: tokens move between accounts of a mint,
 * so that its supply stays true, and accounts come and go while their number stays about the same.
 * Returns what changes about so many accounts in the present slot.
 */
export function openChurn(parts: LedgerParts, pools: readonly Pool[]): (changes: number) => void {
  const count = () => pools.reduce((sum, { keys }) => sum + keys.length, 0)
  const wanted = count()
  const lasting = new Set(
    Array.from({ length: LASTING }, (_, at) => sampleKey(`token account ${at}`)),
  )

  return (changes) => {
    const draw = seededChoices(parts.slots.now, 0)
    // A step changes two accounts or more; one that finds nothing to change counts as well.
    for (let step = 0; step * 2 < changes; step++) {
      const pool = draw.pick(pools)
      if (draw.between(1, MOVES_PER_CREATION) > 1) moveTokens(parts, draw, pool)
      else if (count() + draw.between(0, 1) <= wanted) create(parts, draw, pool, step)
      else close(parts, draw, pool, lasting)
    }
  }
}

function moveTokens({ accounts }: LedgerParts, draw: SeededChoices, pool: Pool): void {
  const from = pick(accounts, draw, pool, (account) => amountIn(account) > 0n)
  const to = pick(accounts, draw, pool, () => true)
  if (from === null || to === null || from.pubkey === to.pubkey) return
  const amount = part(draw, amountIn(from))
  accounts.put(withAmount(from, amountIn(from) - amount))
  accounts.put(withAmount(to, amountIn(to) + amount))
}

/** A new account gets its first tokens from another one, and its rent from its owner. */
function create(
  { accounts, slots, rentExempt }: LedgerParts,
  draw: SeededChoices,
  pool: Pool,
  step: number,
): void {
  const from = pick(accounts, draw, pool, (account) => amountIn(account) > 0n)
  if (from === null) return
  const owner = ownerIn(from)
  const amount = part(draw, amountIn(from))
  const pubkey = sampleKey(`token account of slot ${slots.now} ${step}`)
  const made = tokenAccount({ pubkey, mint: pool.mint, owner, amount }, rentExempt)
  if (!charge(accounts, owner, -made.lamports)) return
  accounts.put(withAmount(from, amountIn(from) - amount))
  accounts.put(made)
  pool.keys.push(pubkey)
}

/** An account is closed after its tokens went to another one; its owner gets the rent back. */
function close(
  { accounts }: LedgerParts,
  draw: SeededChoices,
  pool: Pool,
  lasting: ReadonlySet<string>,
): void {
  const gone = pick(accounts, draw, pool, ({ pubkey }) => !lasting.has(pubkey))
  const to = pick(accounts, draw, pool, () => true)
  if (gone === null || to === null || gone.pubkey === to.pubkey) return
  if (!charge(accounts, ownerIn(gone), gone.lamports)) return
  accounts.put(withAmount(to, amountIn(to) + amountIn(gone)))
  accounts.put(newAccount(gone.pubkey, 0n))
  pool.keys.splice(pool.keys.indexOf(gone.pubkey), 1)
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
    // Somebody else may have closed it, or made another one of it.
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

function charge(accounts: Accounts, owner: string, lamports: bigint): boolean {
  const wallet = accounts.at(owner, 'processed')
  if (wallet === null || wallet.lamports + lamports <= 0n) return false
  return accounts.put({ ...wallet, lamports: wallet.lamports + lamports }) === null
}
