import { numberToQuantity, quantityToNumber } from '../../hex.ts'
import { rawElements, rawMembers } from '../../json/json-scan.ts'
import type { HeadView } from '../cache-policy.ts'
import type { Method } from '../method-registry.ts'

export type CallParams = { params: readonly unknown[]; paramsText: string }

/** A call about the blocks of one view of the chain. */
export type PinnedCall = CallParams & {
  /** The highest block that it speaks of; null where that is not known. */
  height: number | null
}

/**
 * The same call with each tag that moves replaced by the number that it stands for at the agreed
 * head, so that nodes at different heads are asked for the same thing. All else keeps its text.
 */
export function pinTags(
  { depends }: Method,
  { params, paramsText }: CallParams,
  head: HeadView | null,
): PinnedCall {
  const asGiven = { params, paramsText, height: null }
  if (head === null) return asGiven
  if (depends === 'logs') return pinFilter({ params, paramsText }, head) ?? asGiven
  // A call that leaves out more than its last param is wrong, which its node will say.
  if (typeof depends !== 'object' || params.length < depends.blockAt) return asGiven
  const { blockAt } = depends
  const pinned = pinTag(params[blockAt], head)
  const height = heightOf(pinned)
  if (pinned === params[blockAt]) return { ...asGiven, height }
  return { ...withParam({ params, paramsText }, blockAt, pinned, JSON.stringify(pinned)), height }
}

function pinFilter(given: CallParams, head: HeadView): PinnedCall | null {
  const [filter] = given.params
  if (typeof filter !== 'object' || filter === null) return null
  const { blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  if (blockHash !== undefined) return null
  const pinned = { fromBlock: pinTag(fromBlock, head), toBlock: pinTag(toBlock, head) }
  const members = rawMembers(rawElements(given.paramsText)[0] ?? '')
  for (const [name, value] of Object.entries(pinned)) members.set(name, JSON.stringify(value))
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  const height = heightOf(pinned.toBlock)
  return { ...withParam(given, 0, { ...filter, ...pinned }, `{${texts}}`), height }
}

function withParam(
  { params, paramsText }: CallParams,
  at: number,
  value: unknown,
  text: string,
): CallParams {
  const texts = rawElements(paramsText)
  texts[at] = text
  return { params: params.toSpliced(at, 1, value), paramsText: `[${texts}]` }
}

function pinTag(tag: unknown, { number, finalized }: HeadView): unknown {
  if (tag === undefined || tag === null || tag === 'latest') return numberToQuantity(number)
  return tag === 'finalized' && finalized !== null ? numberToQuantity(finalized) : tag
}

function heightOf(param: unknown): number | null {
  if (typeof param !== 'object' || param === null) return quantityToNumber(param)
  return quantityToNumber((param as Record<string, unknown>).blockNumber)
}
