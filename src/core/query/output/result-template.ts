import { type BlockListName, fieldRule } from '../items/field-rule.ts'
import { detachString } from '../keys/detach-string.ts'
import type { QueryPlan, SelectedField } from '../language/query-plan.ts'
import { type BlockEvaluation, fieldText } from './block-evaluation.ts'
import {
  EVERYTHING,
  type FieldTemplate,
  type FragmentTemplate,
  type FragmentTemplates,
  type VariableSource,
} from './fragment-templates.ts'

/**
 * A result but for the items of the lists directly under `block`. Queries that differ only in
 * those share it, and with it the whole result where their lists are empty.
 */
export type ResultTemplate = {
  /** The opening of the result: the name of the root, and the text before it. */
  readonly start: string
  readonly lists: readonly TemplateList[]
  /** The fields and text before each list and after the last. */
  readonly segments: readonly Segment[]
}

type TemplateList = { readonly responseName: string; readonly list: BlockListName }

type Segment = { readonly fields: readonly FieldTemplate[]; readonly end: string }

/** The fields of a plan that are lists directly under `block`, in order. */
export function listFields(plan: QueryPlan): SelectedField[] {
  return plan.selection.fields.filter(({ name }) => listNameOf(name) !== null)
}

export function listNameOf(field: string): BlockListName | null {
  const rule = fieldRule('Block', field)
  return rule.kind === 'blockList' ? rule.list : null
}

export function resultTemplateKey({ root, selection }: QueryPlan): string {
  const fields = selection.fields.map(({ responseName, name, selection: inner }) =>
    listNameOf(name) ? `${responseName}:${name}[]` : `${responseName}:${name}${inner?.key ?? ''}`,
  )
  return `${root.before}{${fields.join(' ')}}${root.after}`
}

export function openResultTemplate(
  plan: QueryPlan,
  templates: FragmentTemplates,
  source: VariableSource,
): ResultTemplate {
  const lists: TemplateList[] = []
  const segments: Segment[] = []
  let fields: FieldTemplate[] = []
  for (const [at, field] of plan.selection.fields.entries()) {
    const { responseName, name, selection } = field
    const prefix = `${at === 0 ? '{' : ','}"${responseName}":`
    const list = listNameOf(name)
    if (list) {
      segments.push({ fields, end: prefix })
      lists.push({ responseName: detachString(responseName), list })
      fields = []
      continue
    }
    const rule = fieldRule('Block', name)
    const template = selection && templates.acquire(selection, source, rule.kind === 'parent')
    fields.push({ prefix, rule, template, filter: EVERYTHING })
  }
  const close = plan.selection.fields.length === 0 ? '{}' : '}'
  segments.push({ fields, end: close + plan.root.after })
  return { start: detachString(plan.root.before), lists, segments }
}

export function closeResultTemplate(
  template: ResultTemplate,
  templates: FragmentTemplates,
  source: Pick<VariableSource, 'release'>,
): void {
  for (const fragment of fragmentTemplatesOf(template)) templates.release(fragment, source)
}

/** The texts before each list and after the last; without lists, the whole result. */
export function resultTemplateTexts(
  evaluation: BlockEvaluation,
  template: ResultTemplate,
): readonly string[] {
  const known = evaluation.templateTexts.get(template)
  if (known) return known
  // Only lists are cut, so the rest of a result is written however long it is.
  const unlimited = { ...evaluation, bytesMax: Number.POSITIVE_INFINITY }
  const texts = template.segments.map(({ fields, end }, at) => {
    let text = at === 0 ? template.start : ''
    for (const field of fields) {
      text += field.prefix + (fieldText(unlimited, field, evaluation.block) ?? 'null')
    }
    return text + end
  })
  evaluation.templateTexts.set(template, texts)
  return texts
}

function fragmentTemplatesOf({ segments }: ResultTemplate): FragmentTemplate[] {
  return segments.flatMap(({ fields }) => fields.flatMap(({ template }) => template ?? []))
}
