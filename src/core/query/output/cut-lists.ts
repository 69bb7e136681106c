import type { Item } from '../items/item-filter.ts'
import { type BlockEvaluation, bytesOf, itemText } from './block-evaluation.ts'
import type { FragmentTemplate } from './fragment-templates.ts'

type Cutting = {
  template: FragmentTemplate
  items: readonly Item[]
  text: string
  bytes: number
  kept: number
  /** The text of the item after those kept; null behind the last, or when no result can hold it. */
  next: string | null
  /** The length of the list with that item in it. */
  nextBytes: number
}

/** The beginning of a list that stays, as text without its brackets. */
export type CutList = { text: string; isCut: boolean }

/**
 * Cuts lists from the end until they fit together, always the one that is longest in bytes, and
 * of equal ones the last: a short list is never lost to a long one. It works the other way
 * round, which reads no more items than stay: the list that is shortest gets its next item.
 */
export function cutLists(
  evaluation: BlockEvaluation,
  lists: readonly { template: FragmentTemplate; items: readonly Item[] }[],
  bytesMax: number,
): CutList[] {
  const cutting = lists.map((list): Cutting => {
    return { ...list, text: '', bytes: 0, kept: 0, next: null, nextBytes: 0 }
  })
  for (const list of cutting) readNext(evaluation, list)

  // No list is cut below an even share, so up to that they need not be compared.
  const share = Math.floor(bytesMax / lists.length)
  for (const list of cutting) while (list.nextBytes <= share) keepNext(evaluation, list)

  let bytes = cutting.reduce((sum, list) => sum + list.bytes, 0)
  let growing = cutting.filter(hasNext)
  while (growing.length > 0) {
    const shortest = shortestOf(growing)
    bytes += shortest.nextBytes - shortest.bytes
    if (bytes > bytesMax) break
    keepNext(evaluation, shortest)
    if (!hasNext(shortest)) growing = growing.filter(hasNext)
  }
  return cutting.map(({ text, kept, items }) => ({ text, isCut: kept < items.length }))
}

function hasNext({ nextBytes }: Cutting): boolean {
  return nextBytes < Number.POSITIVE_INFINITY
}

/** The one that is shortest with its next item in it; of equal ones the first. */
function shortestOf(growing: readonly Cutting[]): Cutting {
  let shortest = growing[0]!
  for (const list of growing) if (list.nextBytes < shortest.nextBytes) shortest = list
  return shortest
}

function keepNext(evaluation: BlockEvaluation, list: Cutting): void {
  list.text += list.kept === 0 ? list.next : `,${list.next}`
  list.bytes = list.nextBytes
  list.kept += 1
  readNext(evaluation, list)
}

function readNext(evaluation: BlockEvaluation, list: Cutting): void {
  const item = list.items[list.kept]
  list.next = item === undefined ? null : itemText(evaluation, list.template, item)
  const comma = list.kept === 0 ? 0 : 1
  list.nextBytes =
    list.next === null
      ? Number.POSITIVE_INFINITY
      : list.bytes + comma + bytesOf(evaluation, list.next)
}
