import { exactNumber } from '../../parse-exactly.ts'
import { encodeBase58 } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import type { InnerInstruction, TransactionOutcome } from '../solana-machine.ts'
import type { WireInstruction } from '../solana-transaction.ts'
import type { Receipt } from '../solana-transactions.ts'
import { tokenHolding } from './solana-token-methods.ts'

export type TransactionForm = 'json' | 'jsonParsed' | 'base58' | 'base64'

type Invoked = (WireInstruction | InnerInstruction) & { stackHeight?: number }

type Beside = { accounts: unknown; replacementBlockhash: unknown; withInner: boolean }

const NOTHING_BESIDE: Beside = { accounts: null, replacementBlockhash: null, withInner: false }

export function shownTransaction(
  chain: SolanaChain,
  receipt: Receipt,
  form: TransactionForm,
  withVersion: boolean,
) {
  const { transaction, slot, unixSeconds } = receipt
  return {
    blockTime: unixSeconds,
    meta: metaOf(chain, receipt, form),
    slot,
    transaction: bodyOf(receipt, form),
    ...(withVersion && { version: transaction.version }),
  }
}

/** The outcome of running or simulating a transaction, as `simulateTransaction` shows it. */
export function shownOutcome(
  { error, logs, unitsConsumed, feeLamports, returned, inner }: TransactionOutcome,
  { accounts, replacementBlockhash, withInner }: Beside = NOTHING_BESIDE,
) {
  return {
    accounts,
    err: error?.json ?? null,
    fee: exactNumber(feeLamports),
    innerInstructions: withInner ? innerOf(inner, instructionOf) : null,
    loadedAccountsDataSize: 0,
    logs,
    replacementBlockhash,
    returnData: returnedData(returned),
    unitsConsumed: exactNumber(unitsConsumed),
  }
}

function bodyOf({ transaction, loaded }: Receipt, form: TransactionForm) {
  if (form === 'base58') return [encodeBase58(transaction.bytes), form]
  if (form === 'base64') return [transaction.bytes.toBase64(), form]

  const lookups = transaction.lookups.map(({ table, writable, readonly }) => ({
    accountKey: encodeBase58(table),
    readonlyIndexes: [...readonly],
    writableIndexes: [...writable],
  }))
  const common = {
    recentBlockhash: encodeBase58(transaction.recentBlockhash),
    ...(transaction.version === 'legacy' ? {} : { addressTableLookups: lookups }),
  }
  const signatures = transaction.signatures.map(encodeBase58)
  const instructions = transaction.instructions.map((one) => shownInstruction(form, loaded, one))
  if (form === 'json') {
    const header = {
      numReadonlySignedAccounts: transaction.readonlySigned,
      numReadonlyUnsignedAccounts: transaction.readonlyUnsigned,
      numRequiredSignatures: transaction.requiredSignatures,
    }
    const accountKeys = loaded.keys.slice(0, transaction.keys.length)
    return { message: { accountKeys, header, instructions, ...common }, signatures }
  }
  const accountKeys = loaded.keys.map((pubkey, at) => ({
    pubkey,
    signer: at < transaction.requiredSignatures,
    source: at < transaction.keys.length ? 'transaction' : 'lookupTable',
    writable: loaded.writable[at] ?? false,
  }))
  return { message: { accountKeys, instructions, ...common }, signatures }
}

function metaOf(chain: SolanaChain, receipt: Receipt, form: TransactionForm) {
  const { outcome, before, after, loaded } = receipt
  const lamports = (states: Receipt['before']) =>
    states.map((one) => exactNumber(one?.lamports ?? 0n))
  const err = outcome.error?.json ?? null
  return {
    ...(outcome.returned !== null && { returnData: returnedData(outcome.returned) }),
    computeUnitsConsumed: exactNumber(outcome.unitsConsumed),
    err,
    fee: exactNumber(outcome.feeLamports),
    innerInstructions: innerOf(outcome.inner, (one) => shownInstruction(form, loaded, one)),
    ...(form !== 'jsonParsed' && { loadedAddresses: loaded.fromTables }),
    logMessages: outcome.logs,
    postBalances: lamports(after),
    postTokenBalances: tokenBalances(chain, after),
    preBalances: lamports(before),
    preTokenBalances: tokenBalances(chain, before),
    rewards: [],
    status: err === null ? { Ok: null } : { Err: err },
  }
}

function tokenBalances(chain: SolanaChain, states: Receipt['before']) {
  return states.flatMap((account, accountIndex) => {
    const holding = tokenHolding(chain, 'processed', account)
    if (holding === null || account === null) return []
    const { mint, owner, amount } = holding
    return [{ accountIndex, mint, owner, programId: account.owner, uiTokenAmount: amount }]
  })
}

/** Only instructions that had others do something are listed. */
function innerOf(inner: TransactionOutcome['inner'], show: (one: Invoked) => object) {
  return inner
    .map((ofOne, index) => ({ index, instructions: ofOne.map(show) }))
    .filter(({ instructions }) => instructions.length > 0)
}

function shownInstruction(form: TransactionForm, { keys }: Receipt['loaded'], one: Invoked) {
  if (form !== 'jsonParsed') return instructionOf(one)
  const { programIdIndex, accounts, ...rest } = instructionOf(one)
  return { accounts: accounts.map((at) => keys[at]), programId: keys[programIdIndex], ...rest }
}

/** The outermost instructions stand at height 1. */
function instructionOf({ programAt, accounts, data, stackHeight = 1 }: Invoked) {
  return {
    accounts: [...accounts],
    data: encodeBase58(data),
    programIdIndex: programAt,
    stackHeight,
  }
}

function returnedData(returned: TransactionOutcome['returned']) {
  if (returned === null) return null
  const { program, data } = returned
  return { data: [data.toBase64(), 'base64'], programId: encodeBase58(program) }
}
