import type { BlockWants } from '../../chain/block.ts'
import type { SelectionSet } from './query-plan.ts'

/** Members of a transaction that only its receipt knows. */
const RECEIPT_FIELDS = new Set([
  'status',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'createdContract',
  'logs',
])

/** Members of a transaction that follow from who signed it. */
const SENDER_FIELDS = new Set(['from', 'createdContract'])

export function queryWants(selection: SelectionSet): BlockWants {
  const receipts = asksFor(selection, needsReceipts)
  const traces = asksFor(selection, (on, name) => on === 'Block' && name === 'callTracerTraces')
  // A log and a trace know their transaction, so these come along.
  const transactions = receipts || traces || asksFor(selection, isTransactionList)
  const wants = { transactions, receipts, traces }
  return usesSenders(selection) ? { ...wants, senders: true } : wants
}

function usesSenders({ on, fields }: SelectionSet): boolean {
  return fields.some(({ name, selection, filter }) => {
    if (on === 'Block' && name === 'parent') return false
    if (on === 'Transaction' && SENDER_FIELDS.has(name)) return true
    const isFoundBy =
      name === 'transactions' && filter?.kind === 'pairs' && filter.pairs.some(({ from }) => from)
    return isFoundBy || (selection !== null && usesSenders(selection))
  })
}

function needsReceipts(on: string, name: string): boolean {
  return on === 'Transaction' ? RECEIPT_FIELDS.has(name) : on === 'Block' && name === 'logs'
}

function isTransactionList(on: string, name: string): boolean {
  return on === 'Block' && name === 'transactions'
}

function asksFor({ on, fields }: SelectionSet, is: (on: string, name: string) => boolean): boolean {
  return fields.some(({ name, selection }) => {
    // Nothing of the parent block is read: its hash and its number are known.
    if (on === 'Block' && name === 'parent') return false
    return is(on, name) || (selection !== null && asksFor(selection, is))
  })
}
