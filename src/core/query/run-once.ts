import type { Block } from '../chain/block.ts'
import { openRun } from './fragments.ts'
import { listFields, openFrame } from './frame.ts'
import { type KeyCheck, openItemFilter, readAlternatives, scanItems } from './item-filter.ts'
import type { KeySet } from './key-set.ts'
import type { Outcome } from './outcome.ts'
import type { Plan } from './plan.ts'
import { openShapes, type VariableSource } from './shapes.ts'
import { type Filling, RESULT_BYTES_MAX, writeOutcome } from './write-outcome.ts'

/** A variable that is missing matches nothing, never everything. */
const NOTHING: KeyCheck = new Set<string>()

/** What one query gives on one block, for a dry run: nothing is kept for the next block. */
export function runOnce(
  plan: Plan,
  block: Block,
  variable: (name: string) => KeySet | undefined,
  bytesMax: number = RESULT_BYTES_MAX,
): Outcome {
  const source: VariableSource = {
    scope: '',
    hold: (name) => variable(name) ?? NOTHING,
    release: () => {},
  }
  const shapes = openShapes()
  const frame = openFrame(plan, shapes, source)
  const fillings: Filling[] = listFields(plan).map(({ selection, filter }, at) => ({
    shape: shapes.take(selection!, source),
    items: scanItems(
      block,
      frame.lists[at]!.list,
      openItemFilter(readAlternatives(filter, source.hold)),
    ),
  }))
  return writeOutcome(openRun(block, bytesMax), frame, fillings)
}
