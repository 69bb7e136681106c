import { CENTI_PER_CU } from '../billing/plan.ts'
import { blocksScanned, type KnownHead } from '../logs/log-filter.ts'
import type { NetworkKind } from '../network.ts'
import { type MethodAccess, type MethodRules, methodAccess } from './method-access.ts'
import {
  type Depends,
  type MethodRow,
  methodRows,
  type Safety,
  UNLISTED_CU,
} from './method-table.ts'

export type Method = {
  name: string
  billedCentiCu: number
  throughputCentiCu: number
  safety: Safety
  depends: Depends
  heavy: boolean
  /** The caller's params decide how long it takes, and perhaps what its errors say. */
  callersDoing: boolean
  paidOnly: boolean
  /** The part of the price that grows with the blocks looked at; null: it does not. */
  scan: { centiCu: number; blocks: number } | null
  /** Served over WebSocket alone. */
  isSubscription: boolean
  access: MethodAccess
  /** Not for every caller: for paid tiers, for keys of one's own, or for nobody. */
  isRestricted: boolean
  /** Its name in the ledger and the metrics; bounded, whatever callers invent. */
  label: string
  /** No node has answered it yet, so that it has no name of its own in ledger and metrics. */
  isUnproven: boolean
  /** The same for a call that no node answered: a name nobody vouches for could be anything. */
  refusedLabel: string
}

/** Prices set by configuration, by method name or by a prefix that ends in `*`. */
export type PriceOverrides = Readonly<
  Record<string, { cu: number; throughputCu?: number; scanCu?: number }>
>

export type MethodRegistry = ReturnType<typeof openMethodRegistry>

type RegistrySettings = {
  prices?: PriceOverrides
  methods?: MethodRules
  isLocal?: boolean
}

/**
 * Names outside of the table that get a ledger line of their own; the rest share `other`. Each
 * prefix of the table has places of its own, so that invented names cannot take those of others.
 */
const UNLISTED_LABELS_MAX = 200
const PREFIX_LABELS_MAX = 100

/** Names remembered that no node has answered; for others each call is decided anew. */
const UNPROVEN_MAX = 1000
const UNPROVEN_CHARS_MAX = 128

/** Stands for all names that no row has. */
const UNLISTED = ''

const OTHER = 'other'

const NO_RULES: MethodRules = { allow: [], deny: [] }

const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/**
 * A name nobody listed is read-only only when it says so. Anything else may
 * change a node (evm_mine, miner_start), so it is never sent twice.
 */
const READS = /^(?:[a-z0-9]+_)?(?:get|is|simulate|estimate)[A-Z]/

export function openMethodRegistry(kind: NetworkKind, settings: RegistrySettings = {}) {
  const exact = new Map<string, Method>()
  const prefixes: MethodRow[] = []
  for (const row of methodRows(kind)) {
    if (row.name.endsWith('*')) prefixes.push(row)
    else exact.set(row.name, listed(row, settings))
  }
  const labels = new Map<string, number>()
  const unproven = new Map<string, Method>()
  const rowOf = (name: string) =>
    prefixes.find((candidate) => name.startsWith(candidate.name.slice(0, -1)))

  const decide = (name: string): Method => {
    const method = toMethod(rowOf(name) ?? unlisted(name), name, settings)
    if (unproven.size >= UNPROVEN_MAX) unproven.clear()
    if (name.length <= UNPROVEN_CHARS_MAX) unproven.set(name, method)
    return method
  }

  const find = (name: string) => exact.get(name) ?? unproven.get(name) ?? decide(name)
  return {
    find,
    // Hot path: nearly every method has one price.
    priced(
      { method: name, params }: { method: string; params: readonly unknown[] },
      head: KnownHead | null,
    ): Method {
      const method = find(name)
      return method.scan === null ? method : scanning(method, blocksScanned(params, head))
    },
    /** Gives a method that a node has just served the name it has from now on, and returns it. */
    prove(method: Method): string {
      const { name } = method
      const known = exact.get(name)
      if (known) return known.label
      const family = rowOf(name)?.name ?? UNLISTED
      const taken = labels.get(family) ?? 0
      const labelsMax = family === UNLISTED ? UNLISTED_LABELS_MAX : PREFIX_LABELS_MAX
      if (!METHOD_NAME.test(name) || taken >= labelsMax) return method.label
      labels.set(family, taken + 1)
      exact.set(name, { ...method, label: name, isUnproven: false })
      unproven.delete(name)
      return name
    },
  }
}

function scanning(method: Method, blocksAsked: number): Method {
  const { scan, billedCentiCu, throughputCentiCu } = method
  if (scan === null || blocksAsked <= scan.blocks) return method
  const centiCu = scan.centiCu * (Math.ceil(blocksAsked / scan.blocks) - 1)
  return {
    ...method,
    billedCentiCu: billedCentiCu + centiCu,
    throughputCentiCu: throughputCentiCu + centiCu,
  }
}

/** A row of the table vouches for its name. */
function listed(row: MethodRow, settings: RegistrySettings): Method {
  const { name } = row
  return { ...toMethod(row, name, settings), label: name, refusedLabel: name, isUnproven: false }
}

function unlisted(name: string): MethodRow {
  return { name, cu: UNLISTED_CU, safety: READS.test(name) ? 'read' : 'write', heavy: true }
}

function toMethod(row: MethodRow, name: string, settings: RegistrySettings): Method {
  const { prices = {}, methods = NO_RULES, isLocal = false } = settings
  const overridden = overriddenPrice(name, prices)
  const price = overridden ?? row
  const scanCu = overridden?.scanCu ?? row.scan?.cu ?? 0
  const access = methodAccess(name, methods, isLocal)
  const paidOnly = row.paidOnly ?? false
  return {
    name,
    billedCentiCu: Math.round(price.cu * CENTI_PER_CU),
    throughputCentiCu: Math.round((price.throughputCu ?? price.cu) * CENTI_PER_CU),
    safety: row.safety ?? 'read',
    depends: row.depends ?? 'uncacheable',
    heavy: row.heavy ?? false,
    callersDoing: row.heavy === true || row.openEnded === true,
    paidOnly,
    scan: row.scan ? { centiCu: Math.round(scanCu * CENTI_PER_CU), blocks: row.scan.blocks } : null,
    isSubscription: row.subscription ?? false,
    access,
    isRestricted: paidOnly || access !== 'all',
    label: OTHER,
    refusedLabel: OTHER,
    isUnproven: true,
  }
}

function overriddenPrice(name: string, overrides: PriceOverrides) {
  if (Object.hasOwn(overrides, name)) return overrides[name]
  const pattern = Object.keys(overrides)
    .filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0]
  return pattern === undefined ? undefined : overrides[pattern]
}
