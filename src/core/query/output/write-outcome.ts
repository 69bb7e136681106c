import type { Item } from '../items/item-filter.ts'
import { ROOT_NAME } from '../language/survey-query.ts'
import { cutLists } from './cut-lists.ts'
import { bytesOf, listText, type Run } from './fragments.ts'
import { type Frame, frameTexts } from './frame.ts'
import type { Outcome, Truncation } from './outcome.ts'
import type { Shape } from './shapes.ts'

/** What one list directly under `block` is filled with. */
export type Filling = { shape: Shape; items: readonly Item[] }

/** The longest result that is delivered, in bytes of UTF-8. */
export const RESULT_BYTES_MAX = 10_000_000

/** Puts a result together. Of one that would be too long the longest lists are cut. */
export function writeOutcome(run: Run, frame: Frame, fillings: readonly Filling[]): Outcome {
  const around = frameTexts(run, frame)
  const matched: Record<string, number> = {}
  for (const [at, { items }] of fillings.entries()) {
    matched[frame.lists[at]!.responseName] = items.length
  }
  const empty = fillings.length > 0 && fillings.every(({ items }) => items.length === 0)
  const whole = wholeText(run, around, fillings)
  if (whole !== null) {
    return { text: whole, bytes: bytesOf(run, whole), empty, matched, truncation: null }
  }
  const { text, truncation } = cutText(run, frame, around, fillings)
  return { text, bytes: bytesOf(run, text), empty, matched, truncation }
}

/** The result of a query whose lists are all empty, or that asks for none. */
export function writeBareOutcome(run: Run, frame: Frame): Outcome {
  const text = frameTexts(run, frame).join('[]')
  const matched = Object.fromEntries(frame.lists.map(({ responseName }) => [responseName, 0]))
  return {
    text,
    bytes: bytesOf(run, text),
    empty: frame.lists.length > 0,
    matched,
    truncation: null,
  }
}

/** Null when it is too long; no more is put together than shows that. */
function wholeText(run: Run, around: readonly string[], fillings: readonly Filling[]) {
  let text = around[0] ?? ''
  for (const [at, { shape, items }] of fillings.entries()) {
    const list = listText(run, shape, items)
    if (list === null) return null
    text += list + around[at + 1]
    if (text.length > run.bytesMax) return null
  }
  return bytesOf(run, text) > run.bytesMax ? null : text
}

function cutText(
  run: Run,
  frame: Frame,
  around: readonly string[],
  fillings: readonly Filling[],
): { text: string; truncation: Truncation | null } {
  const bytesLeft = run.bytesMax - bytesOf(run, around.join('[]'))
  const fields: string[] = []
  let text = around[0] ?? ''
  for (const [at, list] of cutLists(run, fillings, bytesLeft).entries()) {
    if (list.isCut) fields.push(`${ROOT_NAME}.${frame.lists[at]!.responseName}`)
    text += `[${list.text}]${around[at + 1]}`
  }
  const reason = `a result may have at most ${run.bytesMax} bytes`
  // Without lists to cut, what is too long stays so.
  return { text, truncation: fields.length > 0 ? { fields, reason } : null }
}
