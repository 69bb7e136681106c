import {
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  Account as MachineAccount,
  SimulatedTransactionInfo,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js'
import { assert } from '../assert.ts'
import { type Account, decodeBase58, encodeBase58 } from './solana-account.ts'
import type { WireTransaction } from './solana-transaction.ts'
import { readError, type TransactionError } from './transaction-error.ts'

export type InnerInstruction = {
  programAt: number
  accounts: Uint8Array
  data: Uint8Array
  stackHeight: number
}

export type TransactionOutcome = {
  /** Null when it succeeded. */
  error: TransactionError | null
  logs: readonly string[]
  unitsConsumed: bigint
  feeLamports: bigint
  returned: { program: Uint8Array; data: Uint8Array } | null
  inner: readonly (readonly InnerInstruction[])[]
}

export type Machine = ReturnType<typeof openMachine>

const KEY_BYTES = 32

/** The fee is the last thing that the machine writes of a result, and nowhere else to be had. */
const FEE_AT_END = /\bfee: (\d{1,20}) [})\s]+$/

/**
 * The virtual machine of Solana with the programs every cluster has, in this process. It ends the
 * process over input of the wrong form: everything it is handed has been checked before.
 */
export function openMachine() {
  const svm = new LiteSvm()
  // Both are looked after outside, by the rules of a cluster: the machine knows a single blockhash.
  svm.setBlockhashCheck(false)
  svm.setTransactionHistory(0n)
  return {
    account(pubkey: string): Account | null {
      const found = svm.getAccount(keyBytes(pubkey))
      return found === null ? null : toAccount(pubkey, found)
    },
    /** All accounts of a program, in no order. */
    accountsOf: (program: string): Account[] =>
      svm
        .getProgramAccounts(keyBytes(program))
        .map((found) => toAccount(encodeBase58(found.address), found.account())),
    /** Writes an account past all rules; the words of the machine when it cannot be. */
    put(account: Account): string | null {
      const { pubkey, lamports, data, owner, executable, rentEpoch } = account
      try {
        const made = new MachineAccount(lamports, data, keyBytes(owner), executable, rentEpoch)
        svm.setAccount(keyBytes(pubkey), made)
        return null
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : 'the machine refused the account'
      }
    },
    run: ({ bytes }: WireTransaction) => outcomeOf(svm.sendVersionedTransaction(bytes)),
    /** The same without an effect, and what each account would be afterwards. */
    rehearse({ bytes }: WireTransaction, verify: boolean) {
      svm.setSigverify(verify)
      const result = svm.simulateVersionedTransaction(bytes)
      svm.setSigverify(true)
      if (!(result instanceof SimulatedTransactionInfo)) {
        return { outcome: outcomeOf(result), after: [] }
      }
      const after = result
        .postAccounts()
        .map((one) => toAccount(encodeBase58(one.address), one.account()))
      return { outcome: outcomeOf(result.meta()), after }
    },
    /** Sets the clock of the programs and makes a new blockhash, which it returns. */
    moveTo(slot: number, epoch: number, unixSeconds: number): string {
      const clock = svm.getClock()
      const startedAt =
        clock.epoch === BigInt(epoch) ? clock.epochStartTimestamp : BigInt(unixSeconds)
      const next = BigInt(epoch) + 1n
      svm.setClock(new Clock(BigInt(slot), startedAt, BigInt(epoch), next, BigInt(unixSeconds)))
      svm.expireBlockhash()
      return svm.latestBlockhash()
    },
    rentExemptLamports: (dataBytes: bigint) => svm.minimumBalanceForRentExemption(dataBytes),
  }
}

/** A key of another length would end the process. */
function keyBytes(pubkey: string): Uint8Array {
  const key = decodeBase58(pubkey)
  assert(key.length === KEY_BYTES, 'a key has 32 bytes')
  return key
}

function toAccount(pubkey: string, found: MachineAccount): Account {
  return {
    pubkey,
    owner: encodeBase58(found.owner()),
    lamports: found.lamports(),
    rentEpoch: found.rentEpoch(),
    executable: found.executable(),
    data: found.data(),
  }
}

function outcomeOf(result: TransactionMetadata | FailedTransactionMetadata): TransactionOutcome {
  const failed = result instanceof FailedTransactionMetadata
  const meta = failed ? result.meta() : result
  const returned = meta.returnData()
  const data = returned.data()
  return {
    error: failed ? readError(result.toString(), meta.logs()) : null,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    feeLamports: BigInt(FEE_AT_END.exec(meta.toString())?.[1] ?? 0),
    returned: data.length === 0 ? null : { program: returned.programId(), data },
    inner: meta.innerInstructions().map((ofOne) =>
      ofOne.map((inner) => {
        const instruction = inner.instruction()
        return {
          programAt: instruction.programIdIndex(),
          accounts: instruction.accounts(),
          data: instruction.data(),
          stackHeight: inner.stackHeight(),
        }
      }),
    ),
  }
}
