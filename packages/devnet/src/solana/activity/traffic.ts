import { assert } from '../../assert.ts'
import { type SeededChoices, seededChoices } from '../../seeded-choices.ts'
import { decodeBase58, PROGRAMS } from '../solana-account.ts'
import { bytesOf, u8, u64 } from '../solana-bytes.ts'
import { walletTokenAddress } from '../solana-genesis.ts'
import { type Instruction, type KeyPair, transfer } from '../solana-message.ts'
import type { LedgerParts } from './churn.ts'
import { TRADED_MINTS, TRADERS } from './sample-accounts.ts'
import type { SampleMint } from './sample-mints.ts'

type Trader = { pair: KeyPair; accounts: ReadonlyMap<SampleMint, Uint8Array> }

const MEMO = decodeBase58(PROGRAMS.memo)

const TRANSFER_CHECKED = 12
const AMOUNT_MAX = 2_000_000
/** More than any trader has: such a transfer fails, and pays its fee. */
const TOO_MUCH = 2n ** 62n
const LAMPORTS_MAX = 5_000_000
/** One transaction of so many fails. */
const FAILING_EVERY = 12

/** The ledger's own transactions, signed by its traders: transfers of tokens and SOL, and memos. */
export function openTraffic({ slots, send }: LedgerParts): { sendNext(): void } {
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
