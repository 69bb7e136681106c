import { isAddress, isHexOf } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { BlockTrace, BlockTransaction, RawObject } from './block.ts'
import { FRAME_FORMS, misshapen } from './raw-forms.ts'

/** `path` leads to its parent, `at` is its place among its siblings. */
type Pending = { raw: unknown; path: readonly number[]; at: number }

/** The EVM refuses calls below this depth, so no honest tree is deeper. */
const CALL_DEPTH_MAX = 1024

const FRAME_TYPE = /^[A-Za-z][A-Za-z0-9]{0,31}$/

const ROOT_PATH: readonly number[] = []
const NO_CALLS: readonly unknown[] = []

export function isCallFrame(value: unknown): value is RawObject {
  return (
    isJsonObject(value) &&
    typeof value.type === 'string' &&
    FRAME_TYPE.test(value.type) &&
    isAddress(value.from)
  )
}

/**
 * The call frames of a block in the order of execution, or what is wrong with them.
 * `raw` is a list with one `{txHash, result}` a transaction, or the bare frames that
 * some nodes give.
 */
export function flattenTraces(
  raw: unknown,
  transactions: readonly BlockTransaction[],
  uncounted: ReadonlySet<BlockTransaction>,
): BlockTrace[] | string {
  if (!Array.isArray(raw)) return 'there is no list of traces'
  const traced = tracedTransactions(raw.length, transactions, uncounted)
  if (!traced) return `there are ${raw.length} traces for ${transactions.length} transactions`
  const traces: BlockTrace[] = []
  for (const [at, transaction] of traced.entries()) {
    const root = rootFrame(raw[at], transaction, uncounted.has(transaction))
    if (typeof root === 'string') return root
    const complaint = flatten(root, transaction, traces)
    if (complaint !== null) return complaint
  }
  return traces
}

/** The transactions that these traces belong to, going by their number. */
function tracedTransactions(
  count: number,
  transactions: readonly BlockTransaction[],
  uncounted: ReadonlySet<BlockTransaction>,
): readonly BlockTransaction[] | null {
  if (count === transactions.length) return transactions
  const counted = transactions.filter((transaction) => !uncounted.has(transaction))
  return count === counted.length ? counted : null
}

function rootFrame(
  entry: unknown,
  { index, hash }: BlockTransaction,
  mayBeMisnamed: boolean,
): RawObject | string {
  if (isCallFrame(entry)) return entry
  if (!isJsonObject(entry)) return `trace ${index} is no object`
  const { txHash, result } = entry
  // Nodes have named the transactions wrongly that they add themselves.
  const named = txHash !== undefined && !mayBeMisnamed
  if (named && !isHexOf(txHash, hash)) return `trace ${index} has another txHash`
  return isCallFrame(result) ? result : `trace ${index} has no call frame`
}

/** Walks without recursion: a tree from outside must not reach the end of the stack. */
function flatten(
  root: RawObject,
  transaction: BlockTransaction,
  traces: BlockTrace[],
): string | null {
  const name = `a frame of trace ${transaction.index}`
  const pending: Pending[] = [{ raw: root, path: ROOT_PATH, at: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { raw, path } = next
    if (!isCallFrame(raw)) return `${name} is no call frame`
    const bad = misshapen(raw, FRAME_FORMS)
    if (bad) return `the ${bad} of ${name} is not of its form`
    const calls = raw.calls ?? NO_CALLS
    if (!Array.isArray(calls)) return `the calls of ${name} are no list`
    if (path.length > CALL_DEPTH_MAX) return `${name} is deeper than calls can be`
    traces.push(toTrace(raw, path, calls.length, transaction, traces.length))
    if (calls.length === 0) continue

    // Shared by all the siblings.
    const below = path === ROOT_PATH ? [transaction.index] : [...path, next.at]
    for (let at = calls.length - 1; at >= 0; at--) {
      pending.push({ raw: calls[at], path: below, at })
    }
  }
  return null
}

function toTrace(
  raw: RawObject,
  path: readonly number[],
  subtraceCount: number,
  transaction: BlockTransaction,
  at: number,
): BlockTrace {
  const from = String(raw.from).toLowerCase()
  const to = typeof raw.to === 'string' ? raw.to.toLowerCase() : null
  return { at, from, to, frame: toFrame(raw), subtraceCount, path, transaction }
}

/**
 * A frame as go-ethereum writes it, whoever did: types in upper case, no value where none
 * can be sent, no empty output. All frames have the same members, which engines like.
 */
function toFrame(raw: RawObject): RawObject {
  const type = String(raw.type).toUpperCase()
  return {
    type,
    from: raw.from,
    to: raw.to,
    value: type === 'STATICCALL' ? undefined : raw.value,
    gas: raw.gas,
    gasUsed: raw.gasUsed,
    input: raw.input,
    output: raw.output === '0x' ? undefined : raw.output,
    error: raw.error,
    revertReason: raw.revertReason,
  }
}
