import { type FieldRule, fieldRule, parentFieldRule } from '../items/field-rule.ts'
import {
  type Item,
  type ItemFilter,
  type KeyCheck,
  openItemFilter,
  readAlternatives,
} from '../items/item-filter.ts'
import type { ListFilter, SelectedField, SelectionSet } from '../language/query-plan.ts'

/**
 * How items are written as text, one template for all queries that select the same. While a
 * block is evaluated it caches what was written of each item.
 */
export type FragmentTemplate = {
  readonly key: string
  readonly fields: readonly FieldTemplate[]
  uses: number
  /** Set while a block is evaluated. A null text is too long for any result. */
  cache: {
    /** By the item's position in its list. */
    items: (string | null | undefined)[]
    lists: Map<readonly Item[], string | null>
  } | null
}

export type FieldTemplate = {
  readonly prefix: string
  readonly rule: FieldRule
  /** Null for a scalar. */
  readonly template: FragmentTemplate | null
  readonly filter: ItemFilter
}

/** Resolves variables: those of a query's team, or those that a dry run was given. */
export type VariableSource = {
  /** Keeps the templates of teams apart where variables are named. */
  scope: string
  acquire(name: string): KeyCheck
  release(check: KeyCheck): void
}

export type FragmentTemplates = ReturnType<typeof openFragmentTemplates>

export const EVERYTHING: ItemFilter = openItemFilter([])

/** Templates by selection, with use counts, so that a removed query leaves nothing behind. */
export function openFragmentTemplates() {
  const templates = new Map<string, FragmentTemplate>()

  /** `asParent` is for a parent block, of which little is known. */
  function acquire(
    selection: SelectionSet,
    source: VariableSource,
    asParent = false,
  ): FragmentTemplate {
    const scope = namesVariables(selection) ? source.scope : ''
    const key = `${asParent ? '\nparent' : scope}\n${selection.key}`
    const known = templates.get(key)
    if (known) {
      known.uses++
      return known
    }
    const rule = (name: string) =>
      asParent ? parentFieldRule(name) : fieldRule(selection.on, name)
    const fields = selection.fields.map((field, at) =>
      fieldTemplate(field, at, rule(field.name), source),
    )
    const made: FragmentTemplate = { key, fields, uses: 1, cache: null }
    templates.set(key, made)
    return made
  }

  function fieldTemplate(
    field: SelectedField,
    at: number,
    rule: FieldRule,
    source: VariableSource,
  ): FieldTemplate {
    const { responseName, selection, filter } = field
    const prefix = `${at === 0 ? '{' : ','}"${responseName}":`
    // A scalar, or what is unknown of a parent block and so null, whatever is below it.
    if (!selection || rule.kind === 'scalar') {
      return { prefix, rule, template: null, filter: EVERYTHING }
    }
    const template = acquire(selection, source, rule.kind === 'parent')
    if (!filter) return { prefix, rule, template, filter: EVERYTHING }
    const itemFilter = openItemFilter(readAlternatives(filter, source.acquire))
    return { prefix, rule, template, filter: itemFilter }
  }

  function release(template: FragmentTemplate, source: Pick<VariableSource, 'release'>): void {
    if (--template.uses > 0) return
    templates.delete(template.key)
    for (const { template: inner, filter } of template.fields) {
      if (inner) release(inner, source)
      for (const check of filter.alternatives.flat()) if (check !== null) source.release(check)
    }
  }

  return { acquire, release, size: () => templates.size }
}

export function namesVariables({ fields }: SelectionSet): boolean {
  return fields.some(
    ({ selection, filter }) =>
      (filter !== null && filterNamesVariables(filter)) ||
      (selection !== null && namesVariables(selection)),
  )
}

function filterNamesVariables(filter: ListFilter): boolean {
  const tests =
    filter.kind === 'logs'
      ? [filter.addresses, ...filter.topics]
      : filter.pairs.flatMap(({ from, to }) => [from, to])
  return tests.some((test) => test?.kind === 'variable')
}
