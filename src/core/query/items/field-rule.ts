import type { Block, BlockLog, BlockTrace, BlockTransaction, RawObject } from '../../chain/block.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { EntityName } from '../language/query-plan.ts'
import { bigIntText, bytes32ListText, bytesText, longText, stringText } from './scalar-text.ts'

export type FieldRule =
  | { kind: 'scalar'; write(item: never): string }
  /** Text of a node or a contract, the only text that may go beyond ASCII. */
  | { kind: 'freeText'; write(item: never): string }
  | { kind: 'account'; address(item: never): string | null }
  | { kind: 'records'; records(item: never): readonly RawObject[] | null }
  | { kind: 'transaction'; transaction(item: never): BlockTransaction }
  | { kind: 'transactionLogs' }
  | { kind: 'sameBlock' }
  | { kind: 'parent' }
  | { kind: 'blockList'; list: BlockListName }

export type BlockListName = 'transactions' | 'logs' | 'callTracerTraces'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const ZERO_HASH = `"0x${'0'.repeat(64)}"`
const ZERO_NONCE = '"0x0000000000000000"'
const ZERO_BLOOM = `"0x${'0'.repeat(512)}"`

/** A field that the schema promises but a chain's node leaves out has a neutral value. */
const BLOCK: Readonly<Record<string, FieldRule>> = {
  ...scalars<Block>({
    number: ({ header }) => `${header.number}`,
    hash: ({ header }) => `"${header.hash}"`,
    nonce: ({ raw }) => bytesText(raw.nonce) ?? ZERO_NONCE,
    transactionsRoot: ({ raw }) => bytesText(raw.transactionsRoot) ?? ZERO_HASH,
    transactionCount: ({ transactionCount }) => `${transactionCount}`,
    stateRoot: ({ raw }) => bytesText(raw.stateRoot) ?? ZERO_HASH,
    receiptsRoot: ({ raw }) => bytesText(raw.receiptsRoot) ?? ZERO_HASH,
    extraData: ({ raw }) => bytesText(raw.extraData) ?? '"0x"',
    gasLimit: ({ raw }) => longText(raw.gasLimit) ?? '0',
    gasUsed: ({ raw }) => longText(raw.gasUsed) ?? '0',
    baseFeePerGas: ({ raw }) => bigIntText(raw.baseFeePerGas) ?? 'null',
    blobGasUsed: ({ raw }) => longText(raw.blobGasUsed) ?? 'null',
    excessBlobGas: ({ raw }) => longText(raw.excessBlobGas) ?? 'null',
    timestamp: ({ raw }) => longText(raw.timestamp) ?? '0',
    logsBloom: ({ raw }) => bytesText(raw.logsBloom) ?? ZERO_BLOOM,
    mixHash: ({ raw }) => bytesText(raw.mixHash) ?? ZERO_HASH,
    difficulty: ({ raw }) => bigIntText(raw.difficulty) ?? '"0x0"',
    totalDifficulty: ({ raw }) => bigIntText(raw.totalDifficulty) ?? 'null',
    withdrawalsRoot: ({ raw }) => bytesText(raw.withdrawalsRoot) ?? 'null',
    blockAccessListHash: ({ raw }) => bytesText(raw.blockAccessListHash) ?? 'null',
    slotNumber: ({ raw }) => longText(raw.slotNumber) ?? 'null',
  }),
  parent: { kind: 'parent' },
  miner: rawAccount<Block>(({ raw }) => raw.miner),
  withdrawals: records<Block>(({ raw }) => raw.withdrawals),
  transactions: { kind: 'blockList', list: 'transactions' },
  logs: { kind: 'blockList', list: 'logs' },
  callTracerTraces: { kind: 'blockList', list: 'callTracerTraces' },
}

const TRANSACTION: Readonly<Record<string, FieldRule>> = {
  ...scalars<BlockTransaction>({
    hash: ({ hash }) => `"${hash}"`,
    nonce: ({ raw }) => longText(raw.nonce) ?? '0',
    index: ({ index }) => `${index}`,
    value: ({ raw }) => bigIntText(raw.value) ?? '"0x0"',
    gasPrice: ({ raw, receipt }) =>
      bigIntText(raw.gasPrice) ?? bigIntText(receipt?.effectiveGasPrice) ?? '"0x0"',
    maxFeePerGas: ({ raw }) => bigIntText(raw.maxFeePerGas) ?? 'null',
    maxPriorityFeePerGas: ({ raw }) => bigIntText(raw.maxPriorityFeePerGas) ?? 'null',
    maxFeePerBlobGas: ({ raw }) => bigIntText(raw.maxFeePerBlobGas) ?? 'null',
    blobVersionedHashes: ({ raw }) => bytes32ListText(raw.blobVersionedHashes) ?? 'null',
    effectiveGasPrice: ({ receipt }) => bigIntText(receipt?.effectiveGasPrice) ?? 'null',
    gas: ({ raw }) => longText(raw.gas) ?? '0',
    gasUsed: ({ receipt }) => longText(receipt?.gasUsed) ?? 'null',
    cumulativeGasUsed: ({ receipt }) => longText(receipt?.cumulativeGasUsed) ?? 'null',
    status: ({ receipt }) => longText(receipt?.status) ?? 'null',
    r: ({ raw }) => bigIntText(raw.r) ?? 'null',
    s: ({ raw }) => bigIntText(raw.s) ?? 'null',
    v: ({ raw }) => bigIntText(raw.v) ?? 'null',
    type: ({ raw }) => longText(raw.type) ?? '0',
  }),
  from: account<BlockTransaction>(({ from }) => from),
  to: account<BlockTransaction>(({ to }) => to),
  createdContract: rawAccount<BlockTransaction>(({ receipt }) => receipt?.contractAddress),
  logs: { kind: 'transactionLogs' },
  accessList: records<BlockTransaction>(({ raw }) => raw.accessList),
  block: { kind: 'sameBlock' },
}

const LOG: Readonly<Record<string, FieldRule>> = {
  ...scalars<BlockLog>({
    index: ({ index }) => `${index}`,
    topics: ({ topics }) => (topics.length === 0 ? '[]' : `["${topics.join('","')}"]`),
    data: ({ data }) => `"${data}"`,
  }),
  account: account<BlockLog>(({ address }) => address),
  transaction: transactionOf<BlockLog>(),
}

const TRACE: Readonly<Record<string, FieldRule>> = {
  ...scalars<BlockTrace>({
    // Some nodes give a STATICCALL the value 0x0; it has none.
    value: ({ frame }) => (isStaticCall(frame) ? 'null' : (bigIntText(frame.value) ?? 'null')),
    gas: ({ frame }) => bigIntText(frame.gas) ?? 'null',
    gasUsed: ({ frame }) => bigIntText(frame.gasUsed) ?? 'null',
    input: ({ frame }) => bytesText(frame.input) ?? 'null',
    output: ({ frame }) => (frame.output === '0x' ? 'null' : (bytesText(frame.output) ?? 'null')),
    subtraceCount: ({ subtraceCount }) => `${subtraceCount}`,
    traceAddressPath: ({ path }) => `[${path.join()}]`,
  }),
  type: freeText<BlockTrace>(({ frame }) => `${frame.type ?? 'CALL'}`.toUpperCase()),
  error: freeText<BlockTrace>(({ frame }) => frame.error),
  revertReason: freeText<BlockTrace>(({ frame }) => frame.revertReason),
  from: account<BlockTrace>(({ from }) => from),
  to: account<BlockTrace>(({ to }) => to),
  transaction: transactionOf<BlockTrace>(),
}

const WITHDRAWAL: Readonly<Record<string, FieldRule>> = scalars<RawObject>({
  index: ({ index }) => longText(index) ?? '0',
  validator: ({ validatorIndex }) => longText(validatorIndex) ?? '0',
  address: ({ address }) => bytesText(address) ?? `"${ZERO_ADDRESS}"`,
  amount: ({ amount }) => longText(amount) ?? '0',
})

const ACCESS_LIST_ENTRY: Readonly<Record<string, FieldRule>> = scalars<RawObject>({
  address: ({ address }) => bytesText(address) ?? `"${ZERO_ADDRESS}"`,
  storageKeys: ({ storageKeys }) => bytes32ListText(storageKeys) ?? '[]',
})

const ACCOUNT: Readonly<Record<string, FieldRule>> = scalars<string>({
  address: (address) => `"${address}"`,
})

const RULES: Readonly<Record<EntityName, Readonly<Record<string, FieldRule>>>> = {
  Block: BLOCK,
  Transaction: TRANSACTION,
  Log: LOG,
  CallTracerTrace: TRACE,
  Withdrawal: WITHDRAWAL,
  AccessListEntry: ACCESS_LIST_ENTRY,
  Account: ACCOUNT,
}

/** The parent's number and hash are known without reading it. */
const PARENT: Readonly<Record<string, FieldRule>> = scalars<Block>({
  __typename: () => '"Block"',
  number: ({ header }) => `${header.number - 1}`,
  hash: ({ header }) => `"${header.parentHash}"`,
})

const UNKNOWN_OF_PARENT: FieldRule = { kind: 'scalar', write: () => 'null' }

const TYPE_NAMES = Object.fromEntries(
  Object.keys(RULES).map((on): [string, FieldRule] => {
    return [on, { kind: 'scalar', write: () => `"${on}"` }]
  }),
) as Readonly<Record<EntityName, FieldRule>>

export function fieldRule(on: EntityName, name: string): FieldRule {
  const rule = name === '__typename' ? TYPE_NAMES[on] : RULES[on][name]
  if (!rule) throw new Error(`broken invariant: a plan asks for ${on}.${name}`)
  return rule
}

export function parentFieldRule(name: string): FieldRule {
  return PARENT[name] ?? UNKNOWN_OF_PARENT
}

function isStaticCall(frame: RawObject): boolean {
  return typeof frame.type === 'string' && frame.type.toUpperCase() === 'STATICCALL'
}

function scalars<T>(
  writers: Readonly<Record<string, (item: T) => string>>,
): Record<string, FieldRule> {
  return Object.fromEntries(
    Object.entries(writers).map(([name, write]) => [name, { kind: 'scalar' as const, write }]),
  )
}

function freeText<T>(read: (item: T) => unknown): FieldRule {
  return { kind: 'freeText', write: (item: T) => stringText(read(item)) ?? 'null' }
}

/** An address that is in lower case already. */
function account<T>(address: (item: T) => string | null): FieldRule {
  return { kind: 'account', address }
}

/** An address as the node spelled it. */
function rawAccount<T>(read: (item: T) => unknown): FieldRule {
  return account((item: T) => {
    const address = read(item)
    return typeof address === 'string' ? address.toLowerCase() : null
  })
}

function records<T>(read: (item: T) => unknown): FieldRule {
  return {
    kind: 'records',
    records: (item: T) => {
      const list = read(item)
      return Array.isArray(list) ? list.filter(isJsonObject) : null
    },
  }
}

function transactionOf<T extends { transaction: BlockTransaction }>(): FieldRule {
  return { kind: 'transaction', transaction: (item: T) => item.transaction }
}
