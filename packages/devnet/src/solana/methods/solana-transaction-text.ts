import { encodeBase58, encodeKey } from '../../../../../src/core/solana/base58.ts'
import type { SolanaChain } from '../solana-chain.ts'
import type { InnerInstruction, TransactionOutcome } from '../solana-machine.ts'
import type { WireInstruction } from '../solana-transaction.ts'
import type { Receipt } from '../solana-transactions.ts'
import { tokenHolding } from './solana-token-methods.ts'

export type TransactionForm = 'json' | 'jsonParsed' | 'base58' | 'base64'

type Invoked = (WireInstruction | InnerInstruction) & { stackHeight?: number }

/** A transaction of the ledger as `getTransaction` shows it. */
export function transactionText(
  chain: SolanaChain,
  receipt: Receipt,
  form: TransactionForm,
  withVersion: boolean,
): string {
  const { transaction, slot, unixSeconds } = receipt
  const version = withVersion ? `,"version":${JSON.stringify(transaction.version)}` : ''
  const shown = bodyText(receipt, form)
  const meta = metaText(chain, receipt, form)
  return `{"blockTime":${unixSeconds},"meta":${meta},"slot":${slot},"transaction":${shown}${version}}`
}

/** The outcome of running or simulating a transaction, as `simulateTransaction` shows it. */
export function outcomeText(
  { error, logs, unitsConsumed, feeLamports, returned, inner }: TransactionOutcome,
  more: { accountsText: string; replacementText: string; withInner: boolean },
): string {
  const innerText = more.withInner ? JSON.stringify(innerOf(inner)) : 'null'
  const members = [
    `"accounts":${more.accountsText}`,
    `"err":${error?.json ?? 'null'}`,
    `"fee":${feeLamports}`,
    `"innerInstructions":${innerText}`,
    `"loadedAccountsDataSize":0`,
    `"logs":${JSON.stringify(logs)}`,
    `"replacementBlockhash":${more.replacementText}`,
    `"returnData":${returnText(returned)}`,
    `"unitsConsumed":${unitsConsumed}`,
  ]
  return `{${members.join()}}`
}

function bodyText(receipt: Receipt, form: TransactionForm): string {
  const { transaction, loaded } = receipt
  if (form === 'base58') return JSON.stringify([encodeBase58(transaction.bytes), 'base58'])
  if (form === 'base64') return JSON.stringify([transaction.bytes.toBase64(), 'base64'])

  const keys = loaded.keys.map(encodeKey)
  const common = { recentBlockhash: encodeKey(transaction.recentBlockhash) }
  const lookups = transaction.lookups.map(({ table, writable, readonly }) => ({
    accountKey: encodeKey(table),
    readonlyIndexes: [...readonly],
    writableIndexes: [...writable],
  }))
  const tables = transaction.version === 'legacy' ? {} : { addressTableLookups: lookups }
  const signatures = transaction.signatures.map(encodeBase58)
  if (form === 'json') {
    const { requiredSignatures, readonlySigned, readonlyUnsigned } = transaction
    const header = {
      numReadonlySignedAccounts: readonlySigned,
      numReadonlyUnsignedAccounts: readonlyUnsigned,
      numRequiredSignatures: requiredSignatures,
    }
    const accountKeys = keys.slice(0, transaction.keys.length)
    const instructions = transaction.instructions.map(instructionOf)
    const message = { accountKeys, header, instructions, ...common, ...tables }
    return JSON.stringify({ message, signatures })
  }
  const accountKeys = keys.map((pubkey, at) => ({
    pubkey,
    signer: at < transaction.requiredSignatures,
    source: at < transaction.keys.length ? 'transaction' : 'lookupTable',
    writable: loaded.writable[at] ?? false,
  }))
  const instructions = transaction.instructions.map((one) => namedInstruction(one, keys))
  return JSON.stringify({
    message: { accountKeys, instructions, ...common, ...tables },
    signatures,
  })
}

function metaText(chain: SolanaChain, receipt: Receipt, form: TransactionForm): string {
  const { outcome, before, after, loaded } = receipt
  const keys = loaded.keys.map(encodeKey)
  const show = (one: Invoked) =>
    form === 'jsonParsed' ? namedInstruction(one, keys) : instructionOf(one)
  const inner = innerOf(outcome.inner, show)
  const { writable, readonly } = loaded.fromTables
  const addresses = { readonly: readonly.map(encodeKey), writable: writable.map(encodeKey) }
  const lamports = (states: Receipt['before']) => states.map((one) => one?.lamports ?? 0n).join()
  const error = outcome.error?.json ?? null
  const returned = outcome.returned === null ? '' : `"returnData":${returnText(outcome.returned)},`
  return `{${returned}${[
    `"computeUnitsConsumed":${outcome.unitsConsumed}`,
    `"err":${error ?? 'null'}`,
    `"fee":${outcome.feeLamports}`,
    `"innerInstructions":${JSON.stringify(inner)}`,
    ...(form === 'jsonParsed' ? [] : [`"loadedAddresses":${JSON.stringify(addresses)}`]),
    `"logMessages":${JSON.stringify(outcome.logs)}`,
    `"postBalances":[${lamports(after)}]`,
    `"postTokenBalances":${balancesText(chain, receipt, after)}`,
    `"preBalances":[${lamports(before)}]`,
    `"preTokenBalances":${balancesText(chain, receipt, before)}`,
    `"rewards":[]`,
    `"status":${error === null ? '{"Ok":null}' : `{"Err":${error}}`}`,
  ].join()}}`
}

function balancesText(chain: SolanaChain, { slot }: Receipt, states: Receipt['before']): string {
  const texts = states.flatMap((account, accountIndex) => {
    const holding = tokenHolding(chain, slot, account)
    if (holding === null || account === null) return []
    const [mint, owner] = [encodeKey(holding.mint), encodeKey(holding.owner)]
    const names = `"mint":"${mint}","owner":"${owner}","programId":"${encodeKey(account.owner)}"`
    return [`{"accountIndex":${accountIndex},${names},"uiTokenAmount":${holding.amountText}}`]
  })
  return `[${texts.join()}]`
}

/** Only instructions that had others do something are listed. */
function innerOf(
  inner: TransactionOutcome['inner'],
  show: (one: Invoked) => object = instructionOf,
) {
  return inner
    .map((ofOne, index) => ({ index, instructions: ofOne.map(show) }))
    .filter(({ instructions }) => instructions.length > 0)
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

function namedInstruction(
  { programAt, accounts, data, stackHeight = 1 }: Invoked,
  keys: readonly string[],
) {
  return {
    accounts: [...accounts].map((at) => keys[at]),
    data: encodeBase58(data),
    programId: keys[programAt],
    stackHeight,
  }
}

function returnText(returned: TransactionOutcome['returned']): string {
  if (returned === null) return 'null'
  const { program, data } = returned
  return JSON.stringify({ data: [data.toBase64(), 'base64'], programId: encodeKey(program) })
}
