import { innerCallOf, MINER } from './block-texts.ts'
import { ADDRESSES, type SimBlock, type SimLog, TOPICS } from './chain-block.ts'

/** A query, and its answer worked out from the block itself by the plainest of means. */
export type NaiveQuery = {
  name: string
  text: string
  /** The team variable it uses. */
  variable: string | null
  wants: 'header' | 'logs' | 'traces'
  run(block: SimBlock, variable: ReadonlySet<string>): { data: object; empty: boolean }
}

type Placed = { log: SimLog; at: number; block: SimBlock; index: number }

export const VARIABLE = 'watched'

const [A0, A1, A2] = ADDRESSES as [string, string, string]
const [T0, T1] = TOPICS as [string, string]

export const QUERIES: readonly NaiveQuery[] = [
  {
    name: 'header',
    text: '{ block { number hash parent { hash } } }',
    variable: null,
    wants: 'header',
    run: ({ number, hash, parentHash }) => ({
      data: { block: { number, hash, parent: { hash: parentHash } } },
      empty: false,
    }),
  },
  {
    name: 'everything',
    text: `{ block { hash timestamp transactionCount
      logs { index account { address } topics data transaction { hash } }
      transactions { index from { address } to { address } gasUsed cumulativeGasUsed } } }`,
    variable: null,
    wants: 'logs',
    run: everything,
  },
  {
    name: 'logs of an address',
    text: `{ block { number hash logs(filter: { addresses: ["${A0}"] }) {
      data topics transaction { hash index status } } } }`,
    variable: null,
    wants: 'logs',
    run: (block) =>
      logQuery(
        block,
        ({ address }) => address === A0,
        ({ log, index }) => ({
          data: log.data,
          topics: log.topics,
          transaction: {
            hash: block.transactions[index]?.hash,
            index,
            status: block.transactions[index]?.status,
          },
        }),
      ),
  },
  {
    name: 'logs by topics',
    text: `{ block { number hash logs(filter: { topics: [["${T0}", "${T1}"], []] }) {
      index account { address } } } }`,
    variable: null,
    wants: 'logs',
    // A filter longer than the log does not match it, even where it allows anything.
    run: (block) =>
      logQuery(
        block,
        ({ topics }) => topics.length >= 2 && (topics[0] === T0 || topics[0] === T1),
        ({ log, at }) => ({ index: at, account: { address: log.address } }),
      ),
  },
  {
    name: 'logs of the watched',
    text: `query ($${VARIABLE}: [Address!]) { block { number hash
      logs(filter: { addresses: $${VARIABLE} }) { index account { address } data } } }`,
    variable: VARIABLE,
    wants: 'logs',
    run: (block, watched) =>
      logQuery(
        block,
        ({ address }) => watched.has(address),
        ({ log, at }) => ({ index: at, account: { address: log.address }, data: log.data }),
      ),
  },
  {
    name: 'transactions of a pair',
    text: `{ block { hash transactions(filter: { addresses: [{ from: ["${A1}"] }, { to: ["${A2}"] }] }) {
      hash value status logs { data } } } }`,
    variable: null,
    wants: 'logs',
    run: pairQuery,
  },
  {
    name: 'calls',
    text: `{ block { hash callTracerTraces(filter: { addresses: [{ to: ["${A1}", "${A2}"] }] }) {
      from { address } to { address } type subtraceCount traceAddressPath transaction { hash } } } }`,
    variable: null,
    wants: 'traces',
    run: callQuery,
  },
]

function placedLogs(block: SimBlock): Placed[] {
  const logs = block.transactions.flatMap(({ logs }, index) => logs.map((log) => ({ log, index })))
  return logs.map(({ log, index }, at) => ({ log, index, at, block }))
}

function logQuery(
  block: SimBlock,
  matches: (log: SimLog) => boolean,
  show: (placed: Placed) => object,
) {
  const logs = placedLogs(block)
    .filter(({ log }) => matches(log))
    .map(show)
  const { number, hash } = block
  return { data: { block: { number, hash, logs } }, empty: logs.length === 0 }
}

function everything(block: SimBlock) {
  const logs = placedLogs(block).map(({ log, at, index }) => ({
    index: at,
    account: { address: log.address },
    topics: log.topics,
    data: log.data,
    transaction: { hash: block.transactions[index]?.hash },
  }))
  let sum = 0
  const transactions = block.transactions.map(({ from, to, gasUsed }, index) => {
    sum += gasUsed
    return {
      index,
      from: { address: from },
      to: to === null ? null : { address: to },
      gasUsed,
      cumulativeGasUsed: sum,
    }
  })
  const { hash, timestampS } = block
  const head = { hash, timestamp: timestampS, transactionCount: transactions.length }
  return { data: { block: { ...head, logs, transactions } }, empty: transactions.length === 0 }
}

function pairQuery(block: SimBlock) {
  const transactions = block.transactions
    .filter(({ from, to }) => from === A1 || to === A2)
    .map(({ hash, value, status, logs }) => ({
      hash,
      value: `0x${value.toString(16)}`,
      status,
      logs: logs.map(({ data }) => ({ data })),
    }))
  return { data: { block: { hash: block.hash, transactions } }, empty: transactions.length === 0 }
}

function callQuery(block: SimBlock) {
  const calls = block.transactions.flatMap((transaction, index) => {
    const { from, to, hash } = transaction
    const inner = innerCallOf(transaction)
    const type = to === null ? 'CREATE' : 'CALL'
    const root = { from, to: to ?? MINER, type, subtraceCount: inner ? 1 : 0, path: [] as number[] }
    const frames = inner
      ? [root, { ...inner, type: 'CALL', subtraceCount: 0, path: [index] }]
      : [root]
    return frames
      .filter((frame) => frame.to === A1 || frame.to === A2)
      .map((frame) => ({
        from: { address: frame.from },
        to: { address: frame.to },
        type: frame.type,
        subtraceCount: frame.subtraceCount,
        traceAddressPath: frame.path,
        transaction: { hash },
      }))
  })
  const data = { block: { hash: block.hash, callTracerTraces: calls } }
  return { data, empty: calls.length === 0 }
}
