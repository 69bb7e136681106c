import type { Block } from '../../chain/block.ts'
import { type KeyCheck, openItemFilter, readAlternatives, scanItems } from '../items/item-filter.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { QueryPlan } from '../language/query-plan.ts'
import { openEvaluation } from '../output/block-evaluation.ts'
import { openFragmentTemplates, type VariableSource } from '../output/fragment-templates.ts'
import type { QueryResult } from '../output/query-result.ts'
import { listFields, openResultTemplate } from '../output/result-template.ts'
import { type ListContent, RESULT_BYTES_MAX, writeResult } from '../output/write-result.ts'

/** A variable that is missing matches nothing, never everything. */
const NOTHING: KeyCheck = new Set<string>()

/** Runs one query on one block, for a dry run: nothing is kept for the next block. */
export function runOnce(
  plan: QueryPlan,
  block: Block,
  variable: (name: string) => KeySet | undefined,
  bytesMax: number = RESULT_BYTES_MAX,
): QueryResult {
  const source: VariableSource = {
    scope: '',
    acquire: (name) => variable(name) ?? NOTHING,
    release: () => {},
  }
  const templates = openFragmentTemplates()
  const template = openResultTemplate(plan, templates, source)
  const contents: ListContent[] = listFields(plan).map(({ selection, filter }, at) => ({
    template: templates.acquire(selection!, source),
    items: scanItems(
      block,
      template.lists[at]!.list,
      openItemFilter(readAlternatives(filter, source.acquire)),
    ),
  }))
  return writeResult(openEvaluation(block, bytesMax), template, contents)
}
