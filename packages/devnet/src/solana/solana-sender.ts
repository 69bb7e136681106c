import { assert } from '../assert.ts'
import { decodeBase58 } from './solana-account.ts'
import {
  FAUCET,
  type Instruction,
  type KeyPair,
  signedTransaction,
  transfer,
  unitsLimit,
} from './solana-message.ts'
import type { Slots } from './solana-slots.ts'
import { readTransaction } from './solana-transaction.ts'
import type { Receipt, Transactions } from './solana-transactions.ts'

type Signers = readonly [KeyPair, ...KeyPair[]]

/** Sends the ledger's own transactions. */
export type Sender = {
  /** Signs and runs a transaction; says in words why it failed. */
  send(signers: Signers, instructions: readonly Instruction[]): Receipt | string
  /** A transfer from the faucet, or in words why it failed. */
  airdrop(to: string, lamports: bigint): Receipt | string
}

/** The compute units that a transaction gets by default; from here the faucet counts up. */
const UNITS_USUAL = 200_000
const UNITS_SPREAD = 1_000_000

export function openSender(slots: Slots, transactions: Transactions): Sender {
  let airdrops = 0
  const send: Sender['send'] = (signers, instructions) => {
    const blockhash = slots.find(slots.now)?.hash
    assert(blockhash !== undefined, 'the slot of now has a blockhash')
    const transaction = readTransaction(signedTransaction(signers, blockhash, instructions))
    assert(typeof transaction !== 'string', 'our own transactions are well formed')
    const { receipt, outcome } = transactions.run(transaction)
    return receipt === null || outcome.error !== null ? (outcome.error?.words ?? '') : receipt
  }
  return {
    send,
    airdrop(to, lamports) {
      airdrops = (airdrops + 1) % UNITS_SPREAD
      const unique = unitsLimit(UNITS_USUAL + airdrops)
      return send([FAUCET], [unique, transfer(FAUCET.key, decodeBase58(to), lamports)])
    },
  }
}
