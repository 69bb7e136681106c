import type { Block } from '../../chain/block.ts'
import { type KeyCheck, openItemFilter, readAlternatives, scanItems } from '../items/item-filter.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { Plan } from '../language/plan.ts'
import { openRun } from '../output/fragments.ts'
import { listFields, openFrame } from '../output/frame.ts'
import type { Outcome } from '../output/outcome.ts'
import { openShapes, type VariableSource } from '../output/shapes.ts'
import { type Filling, RESULT_BYTES_MAX, writeOutcome } from '../output/write-outcome.ts'

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
