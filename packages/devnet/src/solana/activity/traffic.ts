import { assert } from '../../../../../src/core/errors.ts'
import { decodeKey } from '../../../../../src/core/solana/base58.ts'
import type { AccountHistory } from '../solana-account-history.ts'
import { bytesOf, u8, u64 } from '../solana-bytes.ts'
import { transfer } from '../solana-genesis.ts'
import type { Instruction, KeyPair } from '../solana-message.ts'
import type { Slots } from '../solana-slots.ts'
import { TRADED_MINTS, TRADERS, traderTokenAccount } from './sample-accounts.ts'
import type { SampleMint } from './sample-mints.ts'
import { type SeededNumbers, seededNumbers } from './seeded-numbers.ts'

type Needs = {
  history: AccountHistory
  slots: Slots
  send(signers: readonly [KeyPair], instructions: readonly Instruction[]): unknown
}

type Trader = { pair: KeyPair; accounts: ReadonlyMap<SampleMint, Uint8Array> }

const MEMO_PROGRAM = decodeKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const TRANSFER_CHECKED = 12
const AMOUNT_MAX = 2_000_000
/** More than any trader has: such a transfer fails, and pays its fee. */
const TOO_MUCH = 2n ** 62n
const LAMPORTS_MAX = 5_000_000
/** One transaction of so many fails. */
const FAILING_EVERY = 12

/** The ledger's own transactions, signed by its traders: transfers of tokens and SOL, and memos. */
export function openTraffic(needs: Needs): { sendNext(): void } {
  const traders = TRADERS.map(
    (pair): Trader => ({
      pair,
      accounts: new Map(TRADED_MINTS.map((mint) => [mint, traderTokenAccount(pair, mint)])),
    }),
  )
  return {
    sendNext() {
      const draw = seededNumbers(needs.slots.now ^ 0x7ade)
      const from = traders[draw.below(traders.length)]!
      // A ledger that was begun without sample accounts has no traders.
      if (needs.history.at(from.pair.key, needs.slots.now) === null) return
      const others = traders.filter((one) => one !== from)
      const to = others[draw.below(others.length)]!
      needs.send([from.pair], drawnInstructions(needs.slots.now, draw, from, to))
    },
  }
}

function drawnInstructions(
  slot: number,
  draw: SeededNumbers,
  from: Trader,
  to: Trader,
): Instruction[] {
  if (draw.below(FAILING_EVERY) === 0) return [tokens(TRADED_MINTS[0]!, from, to, TOO_MUCH)]
  const kind = draw.below(4)
  if (kind === 0) {
    const lamports = BigInt(1 + draw.below(LAMPORTS_MAX))
    return [transfer(from.pair.key, to.pair.key, lamports), memo(`invoice ${slot}`)]
  }
  const mint = TRADED_MINTS[kind % TRADED_MINTS.length]!
  const transfers = [tokens(mint, from, to, BigInt(1 + draw.below(AMOUNT_MAX)))]
  return kind === 3 ? [...transfers, memo(`order ${slot}`)] : transfers
}

function tokens(mint: SampleMint, from: Trader, to: Trader, amount: bigint): Instruction {
  const [source, target] = [from.accounts.get(mint), to.accounts.get(mint)]
  assert(source !== undefined && target !== undefined, 'a trader has accounts of its mints')
  return {
    program: mint.program,
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
  assert(MEMO_PROGRAM !== null, 'a program has a key')
  return { program: MEMO_PROGRAM, accounts: [], data: new Uint8Array(Buffer.from(text)) }
}
