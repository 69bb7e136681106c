import {
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  Kind,
  printSchema,
} from 'graphql'
import { querySchema } from '../../../src/core/query/language/query-schema.ts'
import type { MadeBlock } from './block-maker.ts'
import type { NodeJson } from './node-json.ts'

type Pair = { from?: string[] | null; to?: string[] | null }

type Filter = { addresses?: unknown[] | null; topics?: (string[] | null)[] | null } | null

/** A list that holds a word no address or topic can be: it matches nothing. */
const NOTHING = ['nothing']

/**
 * The answers of graphql-js on a node's JSON, with resolvers that know nothing of ours:
 * plain values, plain scans. The schema is ours but for one thing: Block's fields may
 * be null, since of a parent block most are unknown.
 */
export function openOracle() {
  const text = printSchema(querySchema())
  const block = /^type Block \{[\s\S]*?^\}/m.exec(text)?.[0] ?? ''
  const schema = buildSchema(text.replace(block, block.replace(/!$/gm, '')))
  return {
    /** The value that the queries of one block are answered from. */
    prepare: (made: MadeBlock) => {
      const block = blockValue(made)
      return { block: () => block }
    },
    /** The value of `data`. */
    answer: (
      rootValue: unknown,
      document: DocumentNode,
      variables: Record<string, string[]>,
    ): NodeJson => {
      const variableValues = valuesFor(document, variables)
      const result = execute({ schema, document, rootValue, variableValues }) as ExecutionResult
      if (result.errors) throw new Error(`the oracle fails: ${result.errors[0]}`)
      return result.data ?? {}
    },
  }
}

function valuesFor(document: DocumentNode, variables: Record<string, string[]>) {
  const [operation] = document.definitions
  const declared = operation?.kind === Kind.OPERATION_DEFINITION ? operation : null
  return Object.fromEntries(
    (declared?.variableDefinitions ?? []).map(({ variable }) => {
      const keys = variables[variable.name.value] ?? []
      return [variable.name.value, keys.length > 0 ? keys : NOTHING]
    }),
  )
}

function blockValue({ block, receipts, traces }: MadeBlock): NodeJson {
  const number = Number(block.number)
  const transactions = block.transactions.map((raw: NodeJson, at: number) =>
    transactionValue(raw, receipts[at]),
  )
  const logs = transactions.flatMap((transaction: NodeJson) => transaction.logs)
  const calls = traces.flatMap(({ result }, at) => callValues(result, transactions[at], [], at))
  const whole: NodeJson = {
    number: long(block.number),
    hash: lower(block.hash),
    parent: number === 0 ? null : { number: number - 1, hash: lower(block.parentHash) },
    nonce: lower(block.nonce) ?? '0x0000000000000000',
    transactionsRoot: lower(block.transactionsRoot) ?? `0x${'00'.repeat(32)}`,
    transactionCount: block.transactions.length,
    stateRoot: lower(block.stateRoot) ?? `0x${'00'.repeat(32)}`,
    receiptsRoot: lower(block.receiptsRoot) ?? `0x${'00'.repeat(32)}`,
    miner: accountValue(block.miner),
    extraData: lower(block.extraData) ?? '0x',
    gasLimit: long(block.gasLimit) ?? 0,
    gasUsed: long(block.gasUsed) ?? 0,
    baseFeePerGas: big(block.baseFeePerGas),
    blobGasUsed: long(block.blobGasUsed),
    excessBlobGas: long(block.excessBlobGas),
    timestamp: long(block.timestamp) ?? 0,
    logsBloom: lower(block.logsBloom) ?? `0x${'00'.repeat(256)}`,
    mixHash: lower(block.mixHash) ?? `0x${'00'.repeat(32)}`,
    difficulty: big(block.difficulty) ?? '0x0',
    totalDifficulty: big(block.totalDifficulty),
    withdrawalsRoot: lower(block.withdrawalsRoot),
    withdrawals: block.withdrawals?.map(withdrawalValue) ?? null,
    blockAccessListHash: lower(block.blockAccessListHash),
    slotNumber: long(block.slotNumber),
    transactions: ({ filter }: { filter?: Filter }) => byPairs(transactions, filter),
    logs: ({ filter }: { filter?: Filter }) => logs.filter((log: NodeJson) => logFits(log, filter)),
    callTracerTraces: ({ filter }: { filter?: Filter }) => byPairs(calls, filter),
  }
  for (const transaction of transactions) transaction.block = whole
  return whole
}

function transactionValue(raw: NodeJson, receipt: NodeJson | undefined): NodeJson {
  const transaction: NodeJson = {
    hash: lower(raw.hash),
    nonce: long(raw.nonce) ?? 0,
    index: long(raw.transactionIndex),
    from: accountValue(raw.from),
    to: accountValue(raw.to),
    value: big(raw.value) ?? '0x0',
    gasPrice: big(raw.gasPrice) ?? big(receipt?.effectiveGasPrice) ?? '0x0',
    maxFeePerGas: big(raw.maxFeePerGas),
    maxPriorityFeePerGas: big(raw.maxPriorityFeePerGas),
    maxFeePerBlobGas: big(raw.maxFeePerBlobGas),
    blobVersionedHashes: raw.blobVersionedHashes?.map(lower) ?? null,
    effectiveGasPrice: big(receipt?.effectiveGasPrice),
    gas: long(raw.gas) ?? 0,
    gasUsed: long(receipt?.gasUsed),
    cumulativeGasUsed: long(receipt?.cumulativeGasUsed),
    status: long(receipt?.status),
    createdContract: accountValue(receipt?.contractAddress),
    r: big(raw.r),
    s: big(raw.s),
    v: big(raw.v),
    type: long(raw.type) ?? 0,
    accessList:
      raw.accessList?.map(({ address, storageKeys }: NodeJson) => ({
        address: lower(address),
        storageKeys: storageKeys.map(lower),
      })) ?? null,
  }
  transaction.logs = (receipt?.logs ?? []).map((log: NodeJson) => ({
    index: long(log.logIndex),
    account: accountValue(log.address),
    topics: log.topics.map(lower),
    data: lower(log.data),
    transaction,
  }))
  return transaction
}

/** The frame and, in pre-order, those below it. `path` leads to the frame from its root. */
function callValues(
  frame: NodeJson,
  transaction: NodeJson,
  path: readonly number[],
  index: number,
): NodeJson[] {
  const type = frame.type.toUpperCase()
  const value: NodeJson = {
    from: accountValue(frame.from),
    to: accountValue(frame.to),
    type,
    value: type === 'STATICCALL' ? null : big(frame.value),
    gas: big(frame.gas),
    gasUsed: big(frame.gasUsed),
    input: lower(frame.input),
    output: frame.output === '0x' ? null : lower(frame.output),
    error: frame.error ?? null,
    revertReason: frame.revertReason ?? null,
    subtraceCount: frame.calls?.length ?? 0,
    traceAddressPath: path.length === 0 ? [] : [index, ...path.slice(0, -1)],
    transaction,
  }
  const below = (frame.calls ?? []).flatMap((call: NodeJson, at: number) =>
    callValues(call, transaction, [...path, at], index),
  )
  return [value, ...below]
}

function withdrawalValue({ index, validatorIndex, address, amount }: NodeJson): NodeJson {
  return {
    index: long(index),
    validator: long(validatorIndex),
    address: lower(address),
    amount: long(amount),
  }
}

function accountValue(address: string | null | undefined): NodeJson | null {
  return address ? { address: address.toLowerCase() } : null
}

function lower(text: string | undefined): string | null {
  return text?.toLowerCase() ?? null
}

function big(value: string | undefined): string | null {
  return value === undefined ? null : `0x${BigInt(value).toString(16)}`
}

/** All digits, also where a double would drop some. */
function long(value: string | undefined): unknown {
  if (value === undefined) return null
  // biome-ignore lint/suspicious/noExplicitAny: not yet in the library's types.
  return (JSON as any).rawJSON(BigInt(value).toString())
}

function among(keys: readonly string[] | null | undefined, key: string | undefined): boolean {
  if (!keys || keys.length === 0) return true
  return key !== undefined && keys.some((one) => one.toLowerCase() === key)
}

function byPairs(items: readonly NodeJson[], filter: Filter | undefined): NodeJson[] {
  const pairs = (filter?.addresses ?? []) as Pair[]
  if (pairs.length === 0) return [...items]
  return items.filter(({ from, to }) =>
    pairs.some((pair) => among(pair.from, from?.address) && among(pair.to, to?.address)),
  )
}

function logFits(log: NodeJson, filter: Filter | undefined): boolean {
  const topics = filter?.topics ?? []
  return (
    among(filter?.addresses as string[] | null, log.account.address) &&
    topics.length <= log.topics.length &&
    topics.every((wanted, at) => among(wanted, log.topics[at]))
  )
}
