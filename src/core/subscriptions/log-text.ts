import type { Block, RawObject } from '../chain/block.ts'
import type { FilteredLog } from './read-log-filter.ts'

/** A log as subscribers are sent it; `opening` is its JSON up to the mark of its removal. */
export type LogText = FilteredLog & { opening: string }

/** Members of a block that are no part of its header, as go-ethereum announces it. */
const BODY_MEMBERS = new Set(['transactions', 'uncles', 'withdrawals', 'size', 'totalDifficulty'])

export function headText(raw: RawObject): string {
  const header = Object.entries(raw).filter(([name]) => !BODY_MEMBERS.has(name))
  return JSON.stringify(Object.fromEntries(header))
}

/** The logs of a block whose receipts were read, as the node gave them. */
export function logTexts({ transactions }: Block): LogText[] {
  return transactions.flatMap(({ logs, receipt }) => {
    const raws = (receipt?.logs ?? []) as readonly RawObject[]
    return logs.map(({ address, topics }, at) => {
      const { removed: _, ...raw } = raws[at] ?? {}
      return { address, topics, opening: JSON.stringify(raw).slice(0, -1) }
    })
  })
}

export function logText({ opening }: LogText, removed: boolean): string {
  return `${opening},"removed":${removed}}`
}
