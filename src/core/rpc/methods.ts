import { CENTI_PER_CU } from '../billing/plan.ts'
import type { NetworkKind } from '../network.ts'
import {
  type Depends,
  type MethodRow,
  methodRows,
  type Safety,
  UNLISTED_CU,
} from './method-table.ts'

/** All that is decided about a method before its call runs. */
export type Method = {
  name: string
  billedCentiCu: number
  throughputCentiCu: number
  safety: Safety
  depends: Depends
  heavy: boolean
  paidOnly: boolean
  /** What the ledger and the metrics call it; bounded, whatever callers invent. */
  label: string
  /** The same for a call that no node answered: a name nobody vouches for could be anything. */
  refusedLabel: string
}

/** Prices set by configuration, by method name or by a prefix that ends in `*`. */
export type PriceOverrides = Readonly<Record<string, { cu: number; throughputCu?: number }>>

export type MethodBook = { find(name: string): Method }

/** Names outside of the table that get a ledger line of their own; the rest share `other`. */
const UNLISTED_LABELS_MAX = 200

const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/**
 * A name nobody listed is read-only only when it says so. Anything else may
 * change a node (evm_mine, miner_start), so it is never sent twice.
 */
const READS = /^(?:[a-z0-9]+_)?(?:get|is|simulate|estimate)[A-Z]/

/** The methods of one kind of network with the prices in force. */
export function openMethodBook(kind: NetworkKind, overrides: PriceOverrides = {}): MethodBook {
  const exact = new Map<string, Method>()
  const prefixes: MethodRow[] = []
  for (const row of methodRows(kind)) {
    if (row.name.endsWith('*')) prefixes.push(row)
    else exact.set(row.name, { ...toMethod(row, row.name, overrides), refusedLabel: row.name })
  }
  let unlistedLabels = 0

  const find = (name: string): Method => {
    const known = exact.get(name)
    if (known) return known
    const row = prefixes.find((candidate) => name.startsWith(candidate.name.slice(0, -1)))
    const named = METHOD_NAME.test(name) && unlistedLabels < UNLISTED_LABELS_MAX
    const method = toMethod(row ?? unlisted(name), name, overrides)
    if (!named) return { ...method, label: 'other' }
    unlistedLabels++
    exact.set(name, method)
    return method
  }
  return { find }
}

function unlisted(name: string): MethodRow {
  return { name, cu: UNLISTED_CU, safety: READS.test(name) ? 'read' : 'write', heavy: true }
}

function toMethod(row: MethodRow, name: string, overrides: PriceOverrides): Method {
  const price = overriddenPrice(name, overrides) ?? row
  return {
    name,
    billedCentiCu: Math.round(price.cu * CENTI_PER_CU),
    throughputCentiCu: Math.round((price.throughputCu ?? price.cu) * CENTI_PER_CU),
    safety: row.safety ?? 'read',
    depends: row.depends ?? 'nothing_kept',
    heavy: row.heavy ?? false,
    paidOnly: row.paidOnly ?? false,
    label: name,
    refusedLabel: 'other',
  }
}

function overriddenPrice(name: string, overrides: PriceOverrides) {
  if (Object.hasOwn(overrides, name)) return overrides[name]
  const pattern = Object.keys(overrides)
    .filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0]
  return pattern === undefined ? undefined : overrides[pattern]
}
