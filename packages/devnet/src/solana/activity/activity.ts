import { assert } from '../../assert.ts'
import type { Clock } from '../../clock.ts'
import type { SolanaDevnetPace } from '../../devnet-control.ts'
import { type SeededChoices, seededChoices } from '../../seeded-choices.ts'
import { type Account, decodeBase58, PROGRAMS, type RentExempt } from '../solana-account.ts'
import type { Accounts } from '../solana-accounts.ts'
import { bytesOf, u8, u64 } from '../solana-bytes.ts'
import { walletTokenAddress } from '../solana-genesis.ts'
import { type Instruction, type KeyPair, transfer } from '../solana-message.ts'
import type { Slots } from '../solana-slots.ts'
import type { Sender } from '../solana-transactions.ts'
import { type Pool, TRADED_MINTS, TRADERS } from './sample-accounts.ts'
import type { SampleMint } from './sample-mints.ts'
import { amountIn, isFrozen, withAmount } from './token-account.ts'

/** The ledger has about so much time between transactions of its own, however short its slots. */
const TRANSACTION_MS = 300

/** Ends slots by time, and changes accounts of these pools in each. */
export function openActivity(
  clock: Clock,
  parts: LedgerParts,
  pools: readonly Pool[],
  first: SolanaDevnetPace,
  advance: () => void,
) {
  let pace = first
  const traffic = openTraffic(parts)
  let cancel = () => {}

  const arm = () => {
    cancel()
    const ticks = pace.slotTimeMs > 0 && !pace.isHeld
    cancel = ticks ? clock.every(pace.slotTimeMs, advance) : () => {}
  }
  arm()
  return {
    get pace(): SolanaDevnetPace {
      return pace
    },
    change(wanted: Partial<SolanaDevnetPace>) {
      pace = { ...pace, ...wanted }
      arm()
    },
    runSlot() {
      const { changesPerSlot, slotTimeMs } = pace
      // A ledger that began without sample accounts has nothing to change, and no traders.
      if (changesPerSlot === 0 || pools.length === 0) return
      churn(parts, pools, changesPerSlot)
      const everySlots = slotTimeMs === 0 ? 1 : Math.max(1, Math.ceil(TRANSACTION_MS / slotTimeMs))
      if (parts.slots.now % everySlots === 0) traffic.sendNext()
    },
    tokenAccounts: () => pools.reduce((sum, { keys }) => sum + keys.length, 0),
  }
}

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
function churn({ accounts, slots }: LedgerParts, pools: readonly Pool[], changes: number): void {
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

type Trader = { pair: KeyPair; accounts: ReadonlyMap<SampleMint, Uint8Array> }

const MEMO = decodeBase58(PROGRAMS.memo)

const TRANSFER_CHECKED = 12
const AMOUNT_MAX = 2_000_000
/** More than any trader has: such a transfer fails, and pays its fee. */
const TOO_MUCH = 2n ** 62n
const LAMPORTS_MAX = 5_000_000
const FAILING_EVERY = 12

function openTraffic({ slots, send }: LedgerParts): { sendNext(): void } {
  const traders = TRADERS.map(
    (pair): Trader => ({
      pair,
      accounts: new Map(TRADED_MINTS.map((mint) => [mint, walletTokenAddress(pair.key, mint)])),
    }),
  )
  return {
    sendNext() {
      const draw = seededChoices(slots.now, 1)
      const from = draw.pick(traders)
      const to = draw.pick(traders.filter((one) => one !== from))
      send([from.pair], drawnInstructions(slots.now, draw, from, to))
    },
  }
}

function drawnInstructions(
  slot: number,
  draw: SeededChoices,
  from: Trader,
  to: Trader,
): Instruction[] {
  if (draw.between(1, FAILING_EVERY) === 1) return [tokens(TRADED_MINTS[0]!, from, to, TOO_MUCH)]
  const kind = draw.between(0, 3)
  if (kind === 0) {
    const lamports = BigInt(draw.between(1, LAMPORTS_MAX))
    return [transfer(from.pair.key, to.pair.key, lamports), memo(`invoice ${slot}`)]
  }
  const mint = TRADED_MINTS[kind % TRADED_MINTS.length]!
  const transfers = [tokens(mint, from, to, BigInt(draw.between(1, AMOUNT_MAX)))]
  return kind === 3 ? [...transfers, memo(`order ${slot}`)] : transfers
}

function tokens(mint: SampleMint, from: Trader, to: Trader, amount: bigint): Instruction {
  const [source, target] = [from.accounts.get(mint), to.accounts.get(mint)]
  assert(source !== undefined && target !== undefined, 'a trader has accounts of its mints')
  return {
    program: decodeBase58(mint.program),
    accounts: [
      { key: source, writes: true },
      { key: mint.key },
      { key: target, writes: true },
      { key: from.pair.key, signs: true },
    ],
    data: bytesOf(u8(TRANSFER_CHECKED), u64(amount), u8(mint.decimals)),
  }
}

function memo(text: string): Instruction {
  return { program: MEMO, accounts: [], data: new Uint8Array(Buffer.from(text)) }
}
