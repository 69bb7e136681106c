import { isHexOf } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { RawObject } from './block.ts'
import type { BlockRef } from './checks.ts'

type TreeFrame = Record<string, unknown> & { calls: TreeFrame[] }

/** One entry a transaction, as `debug_traceBlockByHash` gives with the callTracer. */
type Entry = { txHash: unknown; result: TreeFrame }

/** The words of go-ethereum; other errors are left in the node's own. */
const ERRORS: ReadonlyMap<unknown, string> = new Map([['Reverted', 'execution reverted']])

/**
 * The answer of Parity's `trace_block` in the form of go-ethereum's callTracer, or what
 * is wrong with it. What Parity never tells stays untold: calls of precompiled contracts,
 * the gas used by a frame that failed, and the root's gas before what a transaction costs
 * at least was taken off.
 */
export function fromParityTraces(list: unknown, block: BlockRef): Entry[] | string {
  if (!Array.isArray(list)) return 'there is no list of traces'
  const hash = block.hash.toLowerCase()
  const entries: Entry[] = []
  for (const flat of list as unknown[]) {
    if (!isJsonObject(flat)) return 'a trace is no object'
    if (!isHexOf(flat.blockHash, hash)) return 'a trace has another blockHash'
    // A miner is paid without a transaction.
    if (flat.type === 'reward') continue
    const frame = toFrame(flat)
    if (typeof frame === 'string') return frame
    const complaint = addFrame(entries, flat, frame)
    if (complaint !== null) return complaint
  }
  return entries
}

/** Puts a frame at its place. Frames come in the order of execution, so parents are there. */
function addFrame(entries: Entry[], flat: RawObject, frame: TreeFrame): string | null {
  const { transactionPosition: position, traceAddress: address } = flat
  if (!Array.isArray(address)) return 'a trace has no traceAddress'
  if (address.length === 0) {
    if (position !== entries.length) return 'the traces of a transaction are missing'
    entries.push({ txHash: flat.transactionHash, result: frame })
    return null
  }
  const entry = entries.at(-1)
  if (!entry || position !== entries.length - 1) return 'a trace has no root'
  let parent: TreeFrame | undefined = entry.result
  for (const step of address.slice(0, -1)) parent = parent?.calls.at(indexOf(step))
  if (!parent || address.at(-1) !== parent.calls.length) return 'a trace has no place'
  parent.calls.push(frame)
  return null
}

/** A negative step must not count from the end. */
function indexOf(step: unknown): number {
  return Number.isSafeInteger(step) && (step as number) >= 0 ? (step as number) : Number.NaN
}

function toFrame(flat: RawObject): TreeFrame | string {
  const { type, action, error } = flat
  const result = isJsonObject(flat.result) ? flat.result : {}
  if (!isJsonObject(action)) return 'a trace has no action'
  const said = error === undefined || error === null ? undefined : (ERRORS.get(error) ?? error)
  const shared = { from: action.from, gas: action.gas, gasUsed: result.gasUsed, error: said }
  if (type === 'create') {
    const kind = action.creationMethod === 'create2' ? 'CREATE2' : 'CREATE'
    const { value, init: input } = action
    const made = { to: result.address, output: result.code }
    return { ...shared, type: kind, ...made, value, input, calls: [] }
  }
  if (type === 'suicide' || type === 'selfdestruct') return toSelfDestruct(action)
  // A type that a fork adds is read like a call and keeps its name, as with the callTracer.
  const { callType = type, to, value, input } = action
  const kind = String(callType).toUpperCase()
  return { ...shared, type: kind, to, value, input, output: result.output, calls: [] }
}

/** A frame with the members that go-ethereum gives it, which does not count it as a call. */
function toSelfDestruct({ address, refundAddress, balance }: RawObject): TreeFrame {
  return {
    type: 'SELFDESTRUCT',
    from: address,
    to: refundAddress,
    value: balance,
    gas: '0x0',
    gasUsed: '0x0',
    input: '0x',
    calls: [],
  }
}
