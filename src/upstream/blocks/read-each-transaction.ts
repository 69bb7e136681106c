import {
  noteWrongShape,
  type PartMethod,
  type PartResult,
  partFailure,
  type ReadContext,
  type TransactionRef,
  tryMethod,
} from './part-methods.ts'

/** A part of a block that is had transaction by transaction. */
export type TransactionPart = {
  method: PartMethod
  /** The part's name in a reason. */
  name: string
  paramsOf: (hash: string) => readonly unknown[]
  hasShape: (value: unknown) => boolean
}

/** Calls that are under way to an upstream at once. */
const CALLS_AT_ONCE = 8

/**
 * A part of each transaction, some asked for at once, in the order of the transactions. An
 * upstream that never gave one this way is asked for the first alone: what it sends in its
 * place may be megabytes, or count as failures.
 */
export async function readEachTransaction(
  context: ReadContext,
  part: TransactionPart,
  transactions: readonly TransactionRef[] | null,
): Promise<PartResult> {
  if (!transactions) return partFailure('the block has no readable list of transactions')
  const { upstream } = context
  const values: unknown[] = []
  const failures: PartResult[] = []
  // One iterator for all: each takes the next transaction that nobody has taken.
  const queue = transactions.entries()
  let isBroken = false
  const askNext = async (): Promise<boolean> => {
    const next = queue.next()
    if (next.done || isBroken || failures.length > 0 || context.isOver()) return false
    const [at, { hash }] = next.value
    try {
      const result = await askOne(context, part, at, hash)
      if (result.kind === 'value') values[at] = result.value
      else failures.push(result)
      return true
    } catch (failure) {
      isBroken = true
      throw failure
    }
  }
  const work = async () => {
    while (await askNext());
  }

  if (!upstream.provenMethods.has(part.method)) {
    await askNext()
    if (values.length > 0) upstream.provenMethods.add(part.method)
  }
  const workers = Math.max(1, Math.min(CALLS_AT_ONCE, upstream.spec.concurrencyMax))
  await Promise.all(Array.from({ length: workers }, work))
  return failures[0] ?? { kind: 'value', value: values }
}

async function askOne(
  context: ReadContext,
  part: TransactionPart,
  at: number,
  hash: string,
): Promise<PartResult> {
  const result = await tryMethod(context, part.method, part.paramsOf(hash))
  if (result.kind !== 'value' || part.hasShape(result.value)) return result
  // Nothing at all is a matter of time, something else is another kind of node.
  return result.value === null
    ? partFailure(`${part.name} ${at} is missing`)
    : noteWrongShape(context, part.method)
}
