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
  number: Long!
  hash: Bytes32!
  "Number and hash are all that is known of it; everything else is null."
  parent: Block
  nonce: Bytes!
  transactionsRoot: Bytes32!
  transactionCount: Long
  stateRoot: Bytes32!
  receiptsRoot: Bytes32!
  miner: Account
  extraData: Bytes!
  gasLimit: Long!
  gasUsed: Long!
  baseFeePerGas: BigInt
  blobGasUsed: Long
  excessBlobGas: Long
  timestamp: Long!
  logsBloom: Bytes!
  mixHash: Bytes32!
  difficulty: BigInt!
  totalDifficulty: BigInt
  withdrawalsRoot: Bytes32
  withdrawals: [Withdrawal!]
  transactions(filter: TransactionFilter): [Transaction!]!
  logs(filter: LogFilter): [Log!]!
  "Calls in pre-order, transactions in the order of the block."
  callTracerTraces(filter: TraceFilter): [CallTracerTrace!]!
}

type Account {
  address: Address!
}

type Withdrawal {
  index: Long!
  validator: Long!
  address: Address!
  amount: Long!
}

type AccessListEntry {
  address: Address!
  storageKeys: [Bytes32!]!
}

type Transaction {
  hash: Bytes32!
  nonce: Long!
  index: Long
  from: Account!
  "Null when the transaction creates a contract."
  to: Account
  value: BigInt!
  gasPrice: BigInt!
  maxFeePerGas: BigInt
  maxPriorityFeePerGas: BigInt
  maxFeePerBlobGas: BigInt
  blobVersionedHashes: [Bytes32!]
  effectiveGasPrice: BigInt
  gas: Long!
  gasUsed: Long
  cumulativeGasUsed: Long
  "Not served: a query that asks for it is refused."
  inputData: Bytes
  "1 for success, 0 for failure, null on blocks before Byzantium."
  status: Long
  createdContract: Account
  logs: [Log!]
  r: BigInt
  s: BigInt
  v: BigInt
  type: Long
  accessList: [AccessListEntry!]
  block: Block
}

type Log {
  index: Long!
  account: Account!
  topics: [Bytes32!]!
  data: Bytes!
  transaction: Transaction!
}

type CallTracerTrace {
  from: Account!
  to: Account
  "CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT."
  type: String!
  "Null for a STATICCALL."
  value: BigInt
  gas: BigInt
  gasUsed: BigInt
  input: Bytes
  "Null when the call returned nothing."
  output: Bytes
  error: String
  revertReason: String
  subtraceCount: Long!
  "[] for the root call; else the transaction's index and the call indexes down to the parent."
  traceAddressPath: [Long!]!
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
  from: [Address!]
  to: [Address!]
}
`

let built: GraphQLSchema | null = null

/** The schema of queries, built when it is first asked for. */
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
