import type { ArchivedBlocks, ArchivedLog, ArchivedReceipt } from './archived-blocks.ts'

/** As the chain that is forked from the archive sends it. */
export type ForkLogFilter = {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | readonly string[] | null
  topics?: readonly (string | readonly string[] | null)[] | null
}

/** Alternatives, in lower case; null: anything. */
type Keys = readonly string[] | null

/** The logs of these blocks that a filter matches, in their order. */
export function matchingLogs(
  blocks: Pick<ArchivedBlocks, 'receiptsText'>,
  { address, topics }: ForkLogFilter,
  from: number,
  to: number,
): ArchivedLog[] {
  const keys = { addresses: keysOf(address), topics: (topics ?? []).map(keysOf) }
  /** One of each of these stands in the text of a block that has anything to match. */
  const words = [keys.addresses, ...keys.topics].filter((some) => some !== null)
  const found: ArchivedLog[] = []
  for (let number = from; number <= to; number++) {
    const text = blocks.receiptsText(number)
    if (text === '' || !words.every((some) => some.some((word) => text.includes(word)))) continue
    const receipts: ArchivedReceipt[] = JSON.parse(text)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    found.push(...logs.filter((log) => isWanted(keys, log)))
  }
  return found
}

function keysOf(given: string | readonly string[] | null | undefined): Keys {
  const list = typeof given === 'string' ? [given] : (given ?? [])
  return list.length === 0 ? null : list.map((word) => word.toLowerCase())
}

/** A filter with more topics than the log has is never met. */
function isWanted(
  { addresses, topics }: { addresses: Keys; topics: readonly Keys[] },
  log: ArchivedLog,
): boolean {
  if (addresses !== null && !addresses.includes(log.address)) return false
  if (topics.length > log.topics.length) return false
  return topics.every((words, at) => words === null || words.includes(log.topics[at] ?? ''))
}
