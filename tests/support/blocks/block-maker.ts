import { addToBloom, BLOOM_BYTES, openBloomBits } from '../../../src/core/chain/logs-bloom.ts'
import type { Chance } from '../basics/seeded-chance.ts'
import { makeCallTree } from './call-tree-maker.ts'
import { bigQuantity, hex, type NodeJson, quantity, spelled } from './node-json.ts'

/** The answers of eth_getBlockByHash, eth_getBlockReceipts and debug_traceBlockByHash. */
export type MadeBlock = { block: NodeJson; receipts: NodeJson[]; traces: NodeJson[] }

export type BlockWish = {
  number: number
  parentHash: string
  /** A random one unless told. */
  hash?: string
  /** 0 to 8 unless told. */
  transactions?: number
  /** The most logs of one transaction. */
  logsMax?: number
  /** The most call frames of one transaction. */
  framesMax?: number
  /** How many addresses and topics are about: few make filters meet. */
  keys?: number
}

type Making = Required<BlockWish> & {
  chance: Chance
  addresses: string[]
  topics: string[]
  gasUsed: number
  logIndex: number
  bloom: Uint8Array
}

/** The keys of made blocks recur, whichever block they are in. */
const BLOOM_BITS = openBloomBits()

type Kind = 'legacy' | 'access' | 'fee' | 'blob' | 'code'

const TYPES: Record<Kind, string> = {
  legacy: '0x0',
  access: '0x1',
  fee: '0x2',
  blob: '0x3',
  code: '0x4',
}

/**
 * A block whose parts agree: every type of transaction, creations, failures, logs with
 * none to four topics, calls of every kind, and the liberties that nodes take.
 */
export function makeRawBlock(chance: Chance, wish: BlockWish): MadeBlock {
  const { keys = 12 } = wish
  const making: Making = {
    hash: hex(chance, 32),
    transactions: chance.between(0, 8),
    logsMax: 5,
    framesMax: 7,
    keys,
    ...wish,
    chance,
    addresses: [`0x${'0'.repeat(40)}`, ...many(keys, () => hex(chance, 20))],
    topics: [],
    gasUsed: 0,
    logIndex: 0,
    bloom: new Uint8Array(BLOOM_BYTES),
  }
  making.topics = [
    `0x${'0'.repeat(64)}`,
    ...many(keys, () => hex(chance, 32)),
    ...making.addresses.slice(0, 5).map((address) => `0x${'0'.repeat(24)}${address.slice(2)}`),
  ]
  const transactions: NodeJson[] = []
  const receipts: NodeJson[] = []
  const traces: NodeJson[] = []
  for (let index = 0; index < making.transactions; index++) {
    const transaction = makeTransaction(making, index)
    const receipt = makeReceipt(making, transaction)
    transactions.push(transaction)
    receipts.push(receipt)
    const result = makeCallTree(chance, transaction, receipt, making.addresses, making.framesMax)
    traces.push({ txHash: transaction.hash, result })
  }
  return { block: { ...makeHeader(making), transactions }, receipts, traces }
}

function many<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

function place({ hash, number }: Making, index: number): NodeJson {
  return { blockHash: hash, blockNumber: quantity(number), transactionIndex: quantity(index) }
}

function makeHeader(making: Making): NodeJson {
  const { chance, number, hash, parentHash, gasUsed, bloom } = making
  const zeros = `0x${'0'.repeat(64)}`
  const sometimes = (name: string, value: unknown) =>
    chance.fraction() < 0.6 ? { [name]: value } : {}
  const withdrawal = () => ({
    index: quantity(chance.between(0, 2 ** 40)),
    validatorIndex: quantity(chance.between(0, 2 ** 20)),
    address: spelled(chance, chance.pick(making.addresses)),
    amount: quantity(chance.pick([0, 13_999_999, 2 ** 60])),
  })
  return {
    number: quantity(number),
    hash,
    parentHash,
    logsBloom: `0x${bloom.toHex()}`,
    gasUsed: quantity(gasUsed),
    gasLimit: quantity(chance.pick([60_000_000, 2 ** 50, 2 ** 63])),
    timestamp: quantity(1_700_000_000 + number),
    transactionsRoot: hex(chance, 32),
    stateRoot: hex(chance, 32),
    receiptsRoot: hex(chance, 32),
    miner: spelled(chance, chance.pick(making.addresses)),
    extraData: chance.pick(['0x', hex(chance, 20)]),
    ...sometimes('nonce', chance.pick(['0x0000000000000000', hex(chance, 8)])),
    ...sometimes('mixHash', hex(chance, 32)),
    ...sometimes('difficulty', chance.pick(['0x0', bigQuantity(chance)])),
    ...sometimes('totalDifficulty', bigQuantity(chance)),
    ...sometimes('baseFeePerGas', bigQuantity(chance)),
    ...sometimes('blobGasUsed', quantity(chance.between(0, 9) * 131_072)),
    ...sometimes('excessBlobGas', '0x0aedab0a'),
    ...sometimes('withdrawalsRoot', chance.pick([hex(chance, 32), zeros])),
    ...sometimes('withdrawals', many(chance.between(0, 3), withdrawal)),
    // Nothing is drawn for these: recorded stores hold the blocks that the seeds gave before.
    ...(number % 3 === 0 ? {} : { blockAccessListHash: hash, slotNumber: quantity(number * 3) }),
  }
}

function makeTransaction(making: Making, index: number): NodeJson {
  const { chance } = making
  const kind = chance.pick<Kind>(['legacy', 'access', 'fee', 'fee', 'fee', 'blob', 'code'])
  const creates = kind !== 'blob' && kind !== 'code' && chance.fraction() < 0.1
  const entry = () => ({
    address: spelled(chance, chance.pick(making.addresses)),
    storageKeys: many(chance.between(0, 2), () => hex(chance, 32)),
  })
  return {
    ...place(making, index),
    hash: hex(chance, 32),
    from: spelled(chance, chance.pick(making.addresses)),
    to: creates ? null : spelled(chance, chance.pick(making.addresses)),
    nonce: quantity(chance.pick([0, chance.between(1, 2 ** 30), 2n ** 64n - 2n])),
    value: chance.pick(['0x0', bigQuantity(chance)]),
    gas: quantity(chance.between(21_000, 2 ** 24)),
    input: chance.pick(['0x', hex(chance, 36)]),
    ...(chance.fraction() < 0.95 ? { gasPrice: bigQuantity(chance) } : {}),
    ...(kind === 'legacy' && chance.fraction() < 0.3 ? {} : { type: TYPES[kind] }),
    ...(kind === 'legacy' ? {} : { accessList: many(chance.between(0, 2), entry), chainId: '0x1' }),
    ...(kind === 'legacy' || kind === 'access'
      ? {}
      : { maxFeePerGas: bigQuantity(chance), maxPriorityFeePerGas: bigQuantity(chance) }),
    ...(kind === 'blob' ? makeBlobMembers(chance) : {}),
    ...(kind === 'code' ? { authorizationList: [{ address: hex(chance, 20) }] } : {}),
    v: chance.pick(['0x0', '0x1', '0x25', '0x26']),
    r: chance.pick([hex(chance, 32), bigQuantity(chance)]),
    s: hex(chance, 32),
  }
}

function makeBlobMembers(chance: Chance): NodeJson {
  return {
    maxFeePerBlobGas: bigQuantity(chance),
    blobVersionedHashes: many(chance.between(1, 3), () => `0x01${hex(chance, 31).slice(2)}`),
  }
}

function makeReceipt(making: Making, { hash, to, transactionIndex }: NodeJson): NodeJson {
  const { chance } = making
  const failed = chance.fraction() < 0.15
  const gasUsed = chance.between(21_000, 500_000)
  making.gasUsed += gasUsed
  const here = place(making, Number(transactionIndex))
  const logs = many(failed ? 0 : chance.between(0, making.logsMax), () => ({
    ...makeLog(making),
    ...here,
    transactionHash: hash,
    logIndex: quantity(making.logIndex++),
    removed: false,
  }))
  return {
    ...here,
    transactionHash: hash,
    // Before Byzantium there was a root instead.
    ...(chance.fraction() < 0.95 ? { status: failed ? '0x0' : '0x1' } : { root: hex(chance, 32) }),
    contractAddress: to === null ? spelled(chance, chance.pick(making.addresses)) : null,
    gasUsed: quantity(gasUsed),
    cumulativeGasUsed: quantity(making.gasUsed),
    ...(chance.fraction() < 0.95 ? { effectiveGasPrice: bigQuantity(chance) } : {}),
    logs,
  }
}

function makeLog({ chance, addresses, topics, bloom }: Making): NodeJson {
  const address = chance.pick(addresses)
  // The first topic is the same more often than not, as on a real chain.
  const own = many(chance.pick([0, 1, 1, 2, 3, 3, 3, 4]), () => chance.pick(topics))
  if (own.length > 0 && chance.fraction() < 0.5) own[0] = topics[1] ?? ''
  for (const key of [address, ...own]) addToBloom(bloom, key, BLOOM_BITS)
  return {
    address: spelled(chance, address),
    topics: own.map((topic) => spelled(chance, topic)),
    data: chance.pick(['0x', spelled(chance, hex(chance, 32)), hex(chance, 64)]),
  }
}
