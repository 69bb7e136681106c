import { type FieldRule, fieldRule, parentFieldRule } from '../items/fields.ts'
import {
  type Item,
  type ItemFilter,
  type KeyCheck,
  openItemFilter,
  readAlternatives,
} from '../items/item-filter.ts'
import type { ListFilter, SelectedField, Selection } from '../language/plan.ts'

/**
 * A selection in the form in which items are written, one for all queries that select
 * the same. While a block is run it keeps what was written of each item.
 */
export type Shape = {
  readonly key: string
  readonly parts: readonly Part[]
  uses: number
  /** While a block is run. Null stands for what is too long for any result. */
  kept: {
    /** By the item's place in its list. */
    items: (string | null | undefined)[]
    lists: Map<readonly Item[], string | null>
  } | null
}

/** One field: the text before its value, and how to come by the value. */
export type Part = {
  readonly glue: string
  readonly rule: FieldRule
  /** Null for a scalar. */
  readonly shape: Shape | null
  /** Which items of a block's list are in it. */
  readonly filter: ItemFilter
}

/** Where variables come from: a query's team, or what a dry run was given. */
export type VariableSource = {
  /** Sets a team's shapes apart from those of others where variables are named. */
  scope: string
  hold(name: string): KeyCheck
  release(check: KeyCheck): void
}

export type Shapes = {
  /** `asParent` for a block of which little is known. */
  take(selection: Selection, source: VariableSource, asParent?: boolean): Shape
  release(shape: Shape, source: Pick<VariableSource, 'release'>): void
  size(): number
}

export const EVERYTHING: ItemFilter = openItemFilter([])

/** Shapes by what they select, counted, so that a removed query leaves nothing behind. */
export function openShapes(): Shapes {
  const shapes = new Map<string, Shape>()

  function take(selection: Selection, source: VariableSource, asParent = false): Shape {
    const scope = namesVariables(selection) ? source.scope : ''
    const key = `${asParent ? '\nparent' : scope}\n${selection.key}`
    const known = shapes.get(key)
    if (known) {
      known.uses++
      return known
    }
    const rule = (name: string) =>
      asParent ? parentFieldRule(name) : fieldRule(selection.on, name)
    const parts = selection.fields.map((field, at) => toPart(field, at, rule(field.name), source))
    const made: Shape = { key, parts, uses: 1, kept: null }
    shapes.set(key, made)
    return made
  }

  function toPart(field: SelectedField, at: number, rule: FieldRule, source: VariableSource): Part {
    const { responseName, selection, filter } = field
    const glue = `${at === 0 ? '{' : ','}"${responseName}":`
    // A scalar, or what is unknown of a parent block and so null, whatever is below it.
    if (!selection || rule.kind === 'scalar') return { glue, rule, shape: null, filter: EVERYTHING }
    const shape = take(selection, source, rule.kind === 'parent')
    if (!filter) return { glue, rule, shape, filter: EVERYTHING }
    return { glue, rule, shape, filter: openItemFilter(readAlternatives(filter, source.hold)) }
  }

  function release(shape: Shape, source: Pick<VariableSource, 'release'>): void {
    if (--shape.uses > 0) return
    shapes.delete(shape.key)
    for (const { shape: inner, filter } of shape.parts) {
      if (inner) release(inner, source)
      for (const check of filter.alternatives.flat()) if (check !== null) source.release(check)
    }
  }

  return { take, release, size: () => shapes.size }
}

export function namesVariables({ fields }: Selection): boolean {
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
