import type { Upstream } from '../node/upstream.ts'
import {
  type Asking,
  askWay,
  noteWrongShape,
  type Said,
  type TransactionRef,
  trouble,
  type Way,
} from './block-capabilities.ts'

/** A part of a block that is had transaction by transaction. */
export type PartWay = {
  way: Way
  /** What a reason calls it. */
  name: string
  paramsOf: (hash: string) => readonly unknown[]
  hasShape: (value: unknown) => boolean
}

/** Calls that are under way to an upstream at once. */
const CALLS_AT_ONCE = 8

/** The ways in which an upstream gave something before. */
const proven = new WeakMap<Upstream, Set<Way>>()

/**
 * A part of each transaction, some asked for at once, in the order of the transactions.
 * Of an upstream that has not proven itself, one is asked for alone: what comes in its
 * place may be megabytes, or count as failures.
 */
export async function askEach(
  asking: Asking,
  part: PartWay,
  transactions: readonly TransactionRef[],
): Promise<Said> {
  const { upstream } = asking
  const values: unknown[] = []
  const ends: Said[] = []
  // One iterator for all: each takes the next transaction that nobody has taken.
  const queue = transactions.entries()
  let broken = false
  const askNext = async (): Promise<boolean> => {
    const next = queue.next()
    if (next.done || broken || ends.length > 0 || asking.isOver()) return false
    const [at, { hash }] = next.value
    try {
      const said = await askOne(asking, part, at, hash)
      if (said.kind === 'value') values[at] = said.value
      else ends.push(said)
      return true
    } catch (failure) {
      broken = true
      throw failure
    }
  }
  const work = async () => {
    while (await askNext());
  }

  if (!proven.get(upstream)?.has(part.way)) {
    await askNext()
    if (values.length > 0) proven.set(upstream, new Set(proven.get(upstream)).add(part.way))
  }
  const places = Math.max(1, Math.min(CALLS_AT_ONCE, upstream.spec.concurrencyMax))
  await Promise.all(Array.from({ length: places }, work))
  return ends[0] ?? { kind: 'value', value: values }
}

async function askOne(asking: Asking, part: PartWay, at: number, hash: string): Promise<Said> {
  const said = await askWay(asking, part.way, part.paramsOf(hash))
  if (said.kind !== 'value' || part.hasShape(said.value)) return said
  // Nothing at all is a matter of time, something else is another kind of node.
  return said.value === null
    ? trouble(`${part.name} ${at} is missing`)
    : noteWrongShape(asking, part.way)
}
