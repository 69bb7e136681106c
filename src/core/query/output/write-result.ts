import type { Item } from '../items/item-filter.ts'
import { ROOT_NAME } from '../language/check-query-limits.ts'
import { type BlockEvaluation, bytesOf, listText } from './block-evaluation.ts'
import { cutLists } from './cut-lists.ts'
import type { FragmentTemplate } from './fragment-templates.ts'
import type { QueryResult, Truncation } from './query-result.ts'
import { type ResultTemplate, resultTemplateTexts } from './result-template.ts'

export type ListContent = { template: FragmentTemplate; items: readonly Item[] }

export const RESULT_BYTES_MAX = 10_000_000

/** Puts a result together. Where it would be too long, its longest lists are cut. */
export function writeResult(
  evaluation: BlockEvaluation,
  template: ResultTemplate,
  contents: readonly ListContent[],
): QueryResult {
  const around = resultTemplateTexts(evaluation, template)
  const matched: Record<string, number> = {}
  for (const [at, { items }] of contents.entries()) {
    matched[template.lists[at]!.responseName] = items.length
  }
  const empty = contents.length > 0 && contents.every(({ items }) => items.length === 0)
  const whole = wholeText(evaluation, around, contents)
  if (whole !== null) {
    return { text: whole, bytes: bytesOf(evaluation, whole), empty, matched, truncation: null }
  }
  const { text, truncation } = cutText(evaluation, template, around, contents)
  return { text, bytes: bytesOf(evaluation, text), empty, matched, truncation }
}

export function writeEmptyResult(
  evaluation: BlockEvaluation,
  template: ResultTemplate,
): QueryResult {
  const text = resultTemplateTexts(evaluation, template).join('[]')
  const matched = Object.fromEntries(template.lists.map(({ responseName }) => [responseName, 0]))
  return {
    text,
    bytes: bytesOf(evaluation, text),
    empty: template.lists.length > 0,
    matched,
    truncation: null,
  }
}

/** The whole result; null when it is too long, and then no more is built than shows that. */
function wholeText(
  evaluation: BlockEvaluation,
  around: readonly string[],
  contents: readonly ListContent[],
) {
  let text = around[0] ?? ''
  for (const [at, { template, items }] of contents.entries()) {
    const list = listText(evaluation, template, items)
    if (list === null) return null
    text += list + around[at + 1]
    if (text.length > evaluation.bytesMax) return null
  }
  return bytesOf(evaluation, text) > evaluation.bytesMax ? null : text
}

function cutText(
  evaluation: BlockEvaluation,
  template: ResultTemplate,
  around: readonly string[],
  contents: readonly ListContent[],
): { text: string; truncation: Truncation | null } {
  const bytesLeft = evaluation.bytesMax - bytesOf(evaluation, around.join('[]'))
  const fields: string[] = []
  let text = around[0] ?? ''
  for (const [at, list] of cutLists(evaluation, contents, bytesLeft).entries()) {
    if (list.isCut) fields.push(`${ROOT_NAME}.${template.lists[at]!.responseName}`)
    text += `[${list.text}]${around[at + 1]}`
  }
  const reason = `a result may have at most ${evaluation.bytesMax} bytes`
  // Without lists to cut, a result that is too long stays so.
  return { text, truncation: fields.length > 0 ? { fields, reason } : null }
}
