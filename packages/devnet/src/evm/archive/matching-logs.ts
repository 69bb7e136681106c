import type { LogKeys } from '../../../../../src/core/logs/log-filter.ts'
import { logMatches } from '../../../../../src/core/subscriptions/read-log-filter.ts'
import type { ArchivedBlocks, ArchivedLog, ArchivedReceipt } from './archived-blocks.ts'

/** As the chain that is forked from the archive sends it. */
export type ForkLogFilter = {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | readonly string[] | null
  topics?: readonly (string | readonly string[] | null)[] | null
}

/** The logs of these blocks that a filter matches, in their order. */
export function matchingLogs(
  blocks: Pick<ArchivedBlocks, 'receiptsText'>,
  { address, topics }: ForkLogFilter,
  from: number,
  to: number,
): ArchivedLog[] {
  const keys: LogKeys = { addresses: keysOf(address), topics: (topics ?? []).map(keysOf) }
  /** One of each of these stands in the text of a block that has anything to match. */
  const words = [keys.addresses, ...keys.topics].filter((some) => some !== null)
  const found: ArchivedLog[] = []
  for (let number = from; number <= to; number++) {
    const text = blocks.receiptsText(number)
    if (text === '' || !words.every((some) => some.some((word) => text.includes(word)))) continue
    const receipts: ArchivedReceipt[] = JSON.parse(text)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    found.push(...logs.filter((log) => logMatches(keys, log)))
  }
  return found
}

function keysOf(given: string | readonly string[] | null | undefined): readonly string[] | null {
  const list = typeof given === 'string' ? [given] : (given ?? [])
  return list.length === 0 ? null : list.map((word) => word.toLowerCase())
}
