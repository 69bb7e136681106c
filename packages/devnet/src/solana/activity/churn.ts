import type { Account } from '../../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS } from '../../../../../src/core/solana/programs.ts'
import type { AccountHistory } from '../solana-account-history.ts'
import type { Slots } from '../solana-slots.ts'
import { HOLDERS_MAX, NONCES_MAX, STAKES_MAX } from './sample-accounts.ts'
import { SAMPLE_MINTS, type SampleMint } from './sample-mints.ts'
import { type SeededNumbers, seededNumbers } from './seeded-numbers.ts'
import { stakeAccount, withNonce } from './stake-account.ts'
import { amountIn, isFrozen, mintIn, ownerIn, tokenAccount, withAmount } from './token-account.ts'
import { type RentExempt, sampleKey } from './wallet-account.ts'

export type Churn = {
  /** Changes about so many accounts in the present slot. */
  apply(changes: number): void
  /** The token accounts that take part. */
  readonly tokenAccounts: number
}

type Needs = {
  history: AccountHistory
  slots: Slots
  rentExempt: RentExempt
  put(account: Account): string | null
}

/** The token accounts of one mint that take part. */
type Pool = { mint: SampleMint; keys: Uint8Array[] }

/** These are never closed, so that a manual can name them. */
const LASTING = 32

/** One of so many steps makes or closes an account instead of moving tokens. */
const MOVES_PER_CREATION = 6
/** An account that cannot be used is passed over, but not for ever. */
const PICKS_MAX = 8
/** One nonce and one stake account each change once in so many slots. */
const NONCE_EVERY_SLOTS = 4
const STAKE_EVERY_SLOTS = 16

/**
 * The steady change of a living ledger, past its programs: tokens move between accounts of a mint,
 * so that its supply stays true, and accounts come and go while their number stays about the same.
 */
export function openChurn(needs: Needs): Churn {
  const pools = openPools(needs)
  const count = () => pools.reduce((sum, { keys }) => sum + keys.length, 0)
  const wanted = count()
  const lasting = new Set(
    Array.from({ length: LASTING }, (_, at) => sampleKey(`token account ${at}`).toHex()),
  )

  return {
    get tokenAccounts() {
      return count()
    },
    apply(changes) {
      const { now } = needs.slots
      const draw = seededNumbers(now)
      let left = changes
      if (left > 0 && now % NONCE_EVERY_SLOTS === 0) left -= renewNonce(needs, draw)
      if (left > 0 && now % STAKE_EVERY_SLOTS === 0) left -= turnStake(needs, draw)
      // A step changes two accounts or more; one that finds nothing to change counts as well.
      for (let step = 0; left > 0; step++, left -= 2) {
        const pool = pools[draw.below(pools.length)]!
        if (draw.below(MOVES_PER_CREATION) > 0) moveTokens(needs, draw, pool)
        else if (count() + draw.below(2) <= wanted) create(needs, draw, pool, step)
        else close(needs, draw, pool, lasting)
      }
    },
  }
}

/** Found anew from the accounts, as those of a ledger that was kept are not the first ones. */
function openPools({ history, slots }: Needs): Pool[] {
  const holders = new Set(
    Array.from({ length: HOLDERS_MAX }, (_, at) => sampleKey(`holder ${at}`).toHex()),
  )
  const pools = new Map(SAMPLE_MINTS.map((mint) => [mint.key.toHex(), { mint, keys: [] } as Pool]))
  for (const program of [PROGRAM_KEYS.splToken, PROGRAM_KEYS.splToken2022]) {
    for (const account of history.ofProgram(program, slots.now)) {
      if (!holders.has(ownerIn(account).toHex())) continue
      pools.get(mintIn(account).toHex())?.keys.push(account.pubkey)
    }
  }
  return [...pools.values()]
}

function moveTokens(needs: Needs, draw: SeededNumbers, pool: Pool): void {
  const from = pick(needs, draw, pool, (account) => amountIn(account) > 0n)
  const to = pick(needs, draw, pool, () => true)
  if (from === null || to === null || from.pubkey === to.pubkey) return
  const amount = part(draw, amountIn(from))
  needs.put(withAmount(from, amountIn(from) - amount))
  needs.put(withAmount(to, amountIn(to) + amount))
}

/** A new account gets its first tokens from another one, and its rent from its owner. */
function create(needs: Needs, draw: SeededNumbers, pool: Pool, step: number): void {
  const from = pick(needs, draw, pool, (account) => amountIn(account) > 0n)
  if (from === null) return
  const owner = ownerIn(from)
  const amount = part(draw, amountIn(from))
  const pubkey = sampleKey(`token account of slot ${needs.slots.now} ${step}`)
  const made = tokenAccount({ pubkey, mint: pool.mint, owner, amount }, needs.rentExempt)
  if (!charge(needs, owner, -made.lamports)) return
  needs.put(withAmount(from, amountIn(from) - amount))
  needs.put(made)
  pool.keys.push(pubkey)
}

/** An account is closed after its tokens went to another one; its owner gets the rent back. */
function close(needs: Needs, draw: SeededNumbers, pool: Pool, lasting: ReadonlySet<string>): void {
  const gone = pick(needs, draw, pool, ({ pubkey }) => !lasting.has(pubkey.toHex()))
  const to = pick(needs, draw, pool, () => true)
  if (gone === null || to === null || gone.pubkey === to.pubkey) return
  if (!charge(needs, ownerIn(gone), gone.lamports)) return
  needs.put(withAmount(to, amountIn(to) + amountIn(gone)))
  needs.put({ ...gone, lamports: 0n, data: new Uint8Array() })
  pool.keys.splice(pool.keys.indexOf(gone.pubkey), 1)
}

/** One of the accounts that serves; null when none was found at once. */
function pick(
  { history, slots }: Needs,
  draw: SeededNumbers,
  { keys, mint }: Pool,
  serves: (account: Account) => boolean,
): Account | null {
  for (let tries = 0; tries < PICKS_MAX && keys.length > 0; tries++) {
    const at = draw.below(keys.length)
    const pubkey = keys[at]!
    const account = history.at(pubkey, slots.now)
    // Somebody else may have closed it, or made another one of it.
    const isOurs = account !== null && Buffer.compare(mintIn(account), mint.key) === 0
    if (!isOurs) keys.splice(at, 1)
    else if (!isFrozen(account) && serves(account)) return { ...account, pubkey }
  }
  return null
}

/** Between a two hundred and fifty-sixth and a quarter of it, and at least one. */
function part(draw: SeededNumbers, amount: bigint): bigint {
  const taken = (amount * BigInt(1 + draw.below(64))) / 256n
  return taken === 0n ? 1n : taken
}

function charge({ history, slots, put }: Needs, owner: Uint8Array, lamports: bigint): boolean {
  const wallet = history.at(owner, slots.now)
  if (wallet === null || wallet.lamports + lamports <= 0n) return false
  return put({ ...wallet, lamports: wallet.lamports + lamports }) === null
}

/** How many accounts it changed. */
function renewNonce({ history, slots, put }: Needs, draw: SeededNumbers): number {
  const account = history.at(sampleKey(`nonce account ${draw.below(NONCES_MAX)}`), slots.now)
  const hash = slots.find(slots.now)?.hash
  if (account === null || hash === undefined) return 0
  put(withNonce(account, hash))
  return 1
}

function turnStake({ history, slots, rentExempt, put }: Needs, draw: SeededNumbers): number {
  const number = draw.below(STAKES_MAX)
  const account = history.at(sampleKey(`stake account ${number}`), slots.now)
  if (account === null) return 0
  const { epoch } = slots.epochOf(slots.now)
  const step = Math.floor(slots.now / STAKE_EVERY_SLOTS)
  const { data } = stakeAccount(number, step, BigInt(epoch), rentExempt)
  put({ ...account, data })
  return 1
}
