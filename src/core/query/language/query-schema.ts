import { buildSchema, type GraphQLSchema, isScalarType } from 'graphql'
import { readScalarLiteral, readScalarValue } from './input-scalars.ts'

/** The GraphQL schema of a webhook's query. A dry run and a webhook use the same one. */
export const SCHEMA_TEXT = `"20 bytes: 0x and 40 hex digits, in lower case. Input may be checksummed."
scalar Address

"32 bytes: 0x and 64 hex digits."
scalar Bytes32

"Bytes of any length: 0x and two hex digits a byte."
scalar Bytes

"A whole number of any size as 0x hex without leading zeros; zero is 0x0."
scalar BigInt

"A whole number as a JSON number."
scalar Long

type Query {
  "The canonical block that the event is about. hash and number count in a dry run only."
  block(hash: Bytes32, number: Long): Block
}

type Block {
  "The height of the block."
  number: Long!
  "It names this very block; another block of the same height has another one."
  hash: Bytes32!
  "Number and hash are all that is known of it; everything else is null."
  parent: Block
  "8 bytes that miners looked for; zeros since there are validators."
  nonce: Bytes!
  "The root of the trie of transactions."
  transactionsRoot: Bytes32!
  "How many transactions the block has."
  transactionCount: Long
  "The root of the state after the block."
  stateRoot: Bytes32!
  "The root of the trie of receipts."
  receiptsRoot: Bytes32!
  "Who gets the fees of the block."
  miner: Account
  "Whatever its maker wrote there, up to 32 bytes."
  extraData: Bytes!
  "The gas that the block could have used."
  gasLimit: Long!
  "The gas that counts toward gasLimit; from Amsterdam on, not the sum over its transactions."
  gasUsed: Long!
  "The fee that is burnt for each unit of gas, in wei; null before London."
  baseFeePerGas: BigInt
  "The gas of its blobs; null before Cancun."
  blobGasUsed: Long
  "How much more blob gas than aimed at was used so far; it sets the price of blobs."
  excessBlobGas: Long
  "Seconds since 1970."
  timestamp: Long!
  "The Bloom filter over the addresses and topics of its logs."
  logsBloom: Bytes!
  "The beacon chain’s random value (prevRandao); a proof of work before it."
  mixHash: Bytes32!
  "0 since there are validators."
  difficulty: BigInt!
  "Of the chain up to here; null where nodes do not tell it any more."
  totalDifficulty: BigInt
  "The root of the trie of withdrawals."
  withdrawalsRoot: Bytes32
  "Stake that came back from the beacon chain; null before Shanghai."
  withdrawals: [Withdrawal!]
  "The hash of the accounts and storage that the block accessed; null before Amsterdam."
  blockAccessListHash: Bytes32
  "The beacon chain slot of the block; null before Amsterdam."
  slotNumber: Long
  "Transactions in the order of the block, those that failed included."
  transactions(filter: TransactionFilter): [Transaction!]!
  "Events in the order of the block. The topics are the event’s signature and its indexed values."
  logs(filter: LogFilter): [Log!]!
  "Calls in pre-order, transactions in the order of the block."
  callTracerTraces(filter: TraceFilter): [CallTracerTrace!]!
}

type Account {
  "20 bytes, in lower case."
  address: Address!
}

type Withdrawal {
  "Counts the withdrawals of the chain."
  index: Long!
  "The validator’s index on the beacon chain."
  validator: Long!
  "Who gets it."
  address: Address!
  "In gwei, not wei."
  amount: Long!
}

type AccessListEntry {
  "The contract."
  address: Address!
  "The places of its storage."
  storageKeys: [Bytes32!]!
}

type Transaction {
  hash: Bytes32!
  "Counts the transactions of its sender."
  nonce: Long!
  "Its place in the block, from 0."
  index: Long
  "Who signed it."
  from: Account!
  "Null when the transaction creates a contract."
  to: Account
  "Sent along, in wei. Calls inside of it may move more: see callTracerTraces."
  value: BigInt!
  "What is paid for each unit of gas, in wei."
  gasPrice: BigInt!
  "The most that its sender would pay for each unit of gas, in wei."
  maxFeePerGas: BigInt
  "The most of that for the block’s maker, in wei."
  maxPriorityFeePerGas: BigInt
  "The most that its sender would pay for each unit of blob gas, in wei."
  maxFeePerBlobGas: BigInt
  "The hashes of its blobs; null unless it has some."
  blobVersionedHashes: [Bytes32!]
  "What was really paid for each unit of gas, in wei. Minimal 0x hex."
  effectiveGasPrice: BigInt
  "The gas that it might have used."
  gas: Long!
  "The gas that it used."
  gasUsed: Long
  "The gas that it and the transactions before it used."
  cumulativeGasUsed: Long
  "Not served: a query that asks for it is refused."
  inputData: Bytes
  "1 for success, 0 for failure, null on blocks before Byzantium."
  status: Long
  "The contract that it made; null for all others."
  createdContract: Account
  "The events of this transaction."
  logs: [Log!]
  r: BigInt
  s: BigInt
  v: BigInt
  "0 legacy, 1 with an access list, 2 with a priority fee, 3 with blobs, 4 with authorizations."
  type: Long
  "The storage that it said it would use; null for legacy ones."
  accessList: [AccessListEntry!]
  "The block that it is in."
  block: Block
}

type Log {
  "Its place among all logs of the block, from 0."
  index: Long!
  "The contract that emitted it."
  account: Account!
  "The hash of the event’s signature first, then up to three indexed values."
  topics: [Bytes32!]!
  "The values that are not indexed, ABI-encoded."
  data: Bytes!
  "The transaction that it was emitted in."
  transaction: Transaction!
}

type CallTracerTrace {
  "Who calls."
  from: Account!
  "Who is called, or the contract that is made."
  to: Account
  "CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT."
  type: String!
  "Null for a STATICCALL."
  value: BigInt
  "The gas that it was given."
  gas: BigInt
  "The gas that it used, calls below it included."
  gasUsed: BigInt
  "The data of the call: four bytes of the function’s signature, then its arguments."
  input: Bytes
  "Null when the call returned nothing."
  output: Bytes
  "Why it failed; null when it did not."
  error: String
  "The words that a contract reverted with, if there are some."
  revertReason: String
  "How many calls it makes directly."
  subtraceCount: Long!
  "[] for the root call; else the transaction's index and the call indexes down to the parent."
  traceAddressPath: [Long!]!
  "The transaction that it belongs to."
  transaction: Transaction
}

input LogFilter {
  "Any of these; missing or empty means anything."
  addresses: [Address!]
  """
  As in eth_getLogs: a value, or a list of alternatives, for each of up to four positions;
  an empty list or null means anything. A log with fewer topics than positions never matches.
  """
  topics: [[Bytes32!]]
}

input TransactionFilter {
  "Any of these pairs; missing or empty means anything."
  addresses: [AddressPair!]
}

input TraceFilter {
  "Any of these pairs; missing or empty means anything."
  addresses: [AddressPair!]
}

"Both must match; missing or empty means anything."
input AddressPair {
  "Any of these senders."
  from: [Address!]
  "Any of these receivers."
  to: [Address!]
}
`

let built: GraphQLSchema | null = null

export function querySchema(): GraphQLSchema {
  built ??= buildQuerySchema()
  return built
}

function buildQuerySchema(): GraphQLSchema {
  const schema = buildSchema(SCHEMA_TEXT)
  for (const name of ['Address', 'Bytes32', 'Long'] as const) {
    const scalar = schema.getType(name)
    if (!isScalarType(scalar)) throw new Error(`the schema has no scalar ${name}`)
    scalar.coerceInputLiteral = (node) => readScalarLiteral(name, node)
    scalar.coerceInputValue = (value) => readScalarValue(name, value)
  }
  return schema
}
