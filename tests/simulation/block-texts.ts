import { bloomOf, type SimBlock, type SimTransaction } from './chain-block.ts'

/** A block as nodes tell it, in JSON, made once however often it is asked for. */
export type BlockTexts = {
  whole: string
  /** With the hashes of its transactions only. */
  light: string
  receipts: readonly string[]
  traces: string
}

/** Of a trie without values. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const ZERO_32 = `0x${'00'.repeat(32)}`
/** Mines every block, and is what creations create: nobody asks for either. */
export const MINER = `0x${'5e'.repeat(20)}`
const GAS_PRICE = '0x3b9aca00'

const made = new WeakMap<SimBlock, BlockTexts>()

export function textsOf(block: SimBlock): BlockTexts {
  const known = made.get(block)
  if (known) return known
  const header = headerOf(block)
  const transactions = block.transactions.map((one, index) => transactionOf(block, one, index))
  const hashes = block.transactions.map(({ hash }) => hash)
  const texts = {
    whole: JSON.stringify({ ...header, transactions }),
    light: JSON.stringify({ ...header, transactions: hashes }),
    receipts: receiptsOf(block).map((receipt) => JSON.stringify(receipt)),
    traces: JSON.stringify(block.transactions.map(traceOf)),
  }
  made.set(block, texts)
  return texts
}

/** How the calls of a transaction look: one inner call where there were logs. */
export function innerCallOf({
  to,
  from,
  logs,
}: SimTransaction): { from: string; to: string } | null {
  return logs.length > 0 ? { from: to ?? from, to: logs[0]?.address ?? from } : null
}

export function headerOf(block: SimBlock) {
  const used = block.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0)
  return {
    number: hex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: hex(block.timestampS),
    logsBloom: bloomOf(block.transactions),
    gasUsed: hex(used),
    gasLimit: '0x1c9c380',
    miner: MINER,
    nonce: '0x0000000000000000',
    difficulty: '0x0',
    extraData: '0x',
    stateRoot: ZERO_32,
    // Made up, but for an empty list: by it a node's lost list is noticed.
    transactionsRoot: block.transactions.length === 0 ? EMPTY_ROOT : block.hash,
    receiptsRoot: ZERO_32,
    mixHash: ZERO_32,
  }
}

function transactionOf(block: SimBlock, transaction: SimTransaction, index: number) {
  return {
    blockHash: block.hash,
    blockNumber: hex(block.number),
    transactionIndex: hex(index),
    hash: transaction.hash,
    from: transaction.from,
    to: transaction.to,
    value: hex(transaction.value),
    gas: hex(transaction.gasUsed * 2),
    gasPrice: GAS_PRICE,
    nonce: hex(index),
    input: '0x',
    type: '0x0',
    r: '0x1',
    s: '0x1',
    v: '0x1b',
  }
}

function receiptsOf(block: SimBlock) {
  let gasSum = 0
  let logCount = 0
  return block.transactions.map((transaction, index) => {
    gasSum += transaction.gasUsed
    const place = {
      blockHash: block.hash,
      blockNumber: hex(block.number),
      transactionHash: transaction.hash,
      transactionIndex: hex(index),
    }
    const logs = transaction.logs.map(({ address, topics, data }) => ({
      ...place,
      address,
      topics,
      data,
      logIndex: hex(logCount++),
      removed: false,
    }))
    return {
      ...place,
      from: transaction.from,
      to: transaction.to,
      status: hex(transaction.status),
      gasUsed: hex(transaction.gasUsed),
      cumulativeGasUsed: hex(gasSum),
      effectiveGasPrice: GAS_PRICE,
      contractAddress: null,
      logsBloom: bloomOf([transaction]),
      logs,
    }
  })
}

function traceOf(transaction: SimTransaction) {
  const { hash, from, to, value, gasUsed } = transaction
  const frame = (type: string, ends: { from: string; to: string }, sent: number) => ({
    type,
    ...ends,
    value: hex(sent),
    gas: hex(gasUsed),
    gasUsed: hex(gasUsed),
    input: '0x',
  })
  const inner = innerCallOf(transaction)
  const calls = inner ? { calls: [frame('CALL', inner, 0)] } : {}
  const root = frame(to === null ? 'CREATE' : 'CALL', { from, to: to ?? MINER }, value)
  return { txHash: hash, result: { ...root, ...calls } }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
