import { type Hex, keccak256 } from 'viem'

/** The parts of a block as a node gives them; tests bend them in every way. */
export type RawParts = {
  ref: { number: number; hash: string }
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into them at will.
  block: any
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  receipts: any[]
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  traces: any[]
}

export type RawLog = { address: string; topics: string[]; data: string }

export type RawTransaction = {
  from?: string
  to?: string | null
  logs?: RawLog[]
  /** The calls below the root, in the form of the callTracer. */
  calls?: unknown[]
  members?: Record<string, unknown>
}

const GAS_EACH = 21_000

export const ALICE = `0x${'a1'.repeat(20)}`
export const BOB = `0x${'b0'.repeat(20)}`
export const TOKEN = `0x${'c0'.repeat(20)}`

/** 32 bytes that say what they are for. */
export function word(byte: string, at = 0): string {
  return `0x${byte}${at.toString(16).padStart(62, '0')}`
}

export function quantity(value: number): string {
  return `0x${value.toString(16)}`
}

export function rawLog(topicCount: number, address = TOKEN, data = '0x'): RawLog {
  return { address, data, topics: Array.from({ length: topicCount }, (_, at) => word('70', at)) }
}

export function rawCall(members: Record<string, unknown> = {}): Record<string, unknown> {
  const gas = { gas: '0x5208', gasUsed: '0x100' }
  return { type: 'CALL', from: ALICE, to: BOB, value: '0x1', input: '0x', ...gas, ...members }
}

/** A block whose parts agree, on a chosen fork. */
export function rawBlock(
  transactions: readonly RawTransaction[],
  number = 1000,
  fork = 'aa',
): RawParts {
  const hash = word(fork, number)
  const place = { blockHash: hash, blockNumber: quantity(number) }
  const parts: RawParts = { ref: { number, hash }, block: {}, receipts: [], traces: [] }
  const bodies: unknown[] = []
  let logIndex = 0
  for (const [index, spec] of transactions.entries()) {
    const { from = ALICE, to = BOB, logs = [], calls = [], members = {} } = spec
    const here = { ...place, transactionIndex: quantity(index) }
    const transactionHash = word(fork, number * 1_000_000 + index)
    bodies.push({ ...USUAL_TRANSACTION, ...here, hash: transactionHash, from, to, ...members })
    parts.receipts.push({
      ...here,
      transactionHash,
      status: '0x1',
      contractAddress: to === null ? TOKEN : null,
      gasUsed: quantity(GAS_EACH),
      cumulativeGasUsed: quantity(GAS_EACH * (index + 1)),
      effectiveGasPrice: '0x1',
      logsBloom: bloomOf(logs),
      logs: logs.map((log) => ({
        ...log,
        ...here,
        transactionHash,
        logIndex: quantity(logIndex++),
        removed: false,
      })),
    })
    const type = to === null ? 'CREATE' : 'CALL'
    const result = rawCall({ type, from, to: to ?? TOKEN, ...(calls.length > 0 ? { calls } : {}) })
    parts.traces.push({ txHash: transactionHash, result })
  }
  parts.block = {
    ...USUAL_HEADER,
    number: quantity(number),
    hash,
    parentHash: word(fork, number - 1),
    gasUsed: quantity(GAS_EACH * transactions.length),
    logsBloom: bloomOf(parts.receipts.flatMap(({ logs }) => logs)),
    transactions: bodies,
  }
  return parts
}

/** A bloom made by the book, one bit at a time, and with another's keccak. */
export function bloomOf(logs: readonly RawLog[]): string {
  let bloom = 0n
  for (const { address, topics } of logs) {
    for (const key of [address, ...topics]) {
      const hash = keccak256(key as Hex)
      for (const at of [2, 6, 10]) {
        bloom |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) % 2048)
      }
    }
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

const USUAL_TRANSACTION = {
  type: '0x2',
  nonce: '0x0',
  value: '0x1',
  gas: '0x5208',
  gasPrice: '0x3b9aca00',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x1',
  input: '0x',
  accessList: [],
  v: '0x0',
  r: '0x1',
  s: '0x1',
}

const USUAL_HEADER = {
  nonce: '0x0000000000000000',
  transactionsRoot: word('01'),
  stateRoot: word('02'),
  receiptsRoot: word('03'),
  miner: BOB,
  extraData: '0x',
  gasLimit: '0x3938700',
  baseFeePerGas: '0x1',
  timestamp: '0x6a0072c0',
  mixHash: word('04'),
  difficulty: '0x0',
  withdrawalsRoot: word('05'),
  withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: BOB, amount: '0x3' }],
}
