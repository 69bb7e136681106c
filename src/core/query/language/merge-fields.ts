import {
  type ArgumentNode,
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import type { Rejection } from '../../errors.ts'
import type { ReadQuery } from './read-query.ts'
import { refuseQuery } from './refuse-query.ts'

/**
 * By response name in the order of first appearance, as CollectFields of the GraphQL spec. Fields
 * that share a response name are one field; its sub-selections are merged.
 */
export function mergeFields(
  query: ReadQuery,
  selectionSets: readonly SelectionSetNode[],
  includes = isIncluded,
): ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]> {
  const merged = new Map<string, [FieldNode, ...FieldNode[]]>()
  const fragmentsSeen = new Set<string>()

  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!includes(selection)) continue
      if (selection.kind === Kind.FIELD) {
        const responseName = (selection.alias ?? selection.name).value
        const same = merged.get(responseName)
        if (same) same.push(selection)
        else merged.set(responseName, [selection])
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet)
      } else if (!fragmentsSeen.has(selection.name.value)) {
        fragmentsSeen.add(selection.name.value)
        const fragment = query.fragments.get(selection.name.value)
        if (fragment) visit(fragment.selectionSet)
      }
    }
  }

  for (const selectionSet of selectionSets) visit(selectionSet)
  return merged
}

export function selectionSetsOf(fields: readonly FieldNode[]): SelectionSetNode[] {
  return fields.flatMap(({ selectionSet }) => selectionSet ?? [])
}

/**
 * Refuses two fields of one response name that differ in name or arguments. All types are
 * objects, so to agree with the first is to agree with each other, and one pass is enough;
 * graphql-js compares all pairs, which takes it 40 ms for 500 fields.
 */
export function findFieldConflict(
  query: ReadQuery,
  selectionSets: readonly SelectionSetNode[] = [query.operation.selectionSet],
): Rejection | null {
  // Fields that a directive leaves out must fit as well: that is GraphQL's rule.
  for (const [responseName, fields] of mergeFields(query, selectionSets, () => true)) {
    const different = fields.find((field) => !isSameCall(fields[0], field))
    if (different) {
      return refuseQuery(
        `the fields called ${responseName} differ in name or arguments; give one an alias`,
        different,
      )
    }
    const refused = findFieldConflict(query, selectionSetsOf(fields))
    if (refused) return refused
  }
  return null
}

/** Conditions are literals by now: there are no Boolean variables. */
function isIncluded(selection: SelectionNode): boolean {
  return condition(selection, 'skip') !== true && condition(selection, 'include') !== false
}

function condition(selection: SelectionNode, directiveName: string): boolean | undefined {
  const directive = selection.directives?.find(({ name }) => name.value === directiveName)
  const value = directive?.arguments?.[0]?.value
  return value?.kind === Kind.BOOLEAN ? value.value : undefined
}

function isSameCall(first: FieldNode, field: FieldNode): boolean {
  if (first === field) return true
  if (first.name.value !== field.name.value) return false
  return argumentsText(first.arguments ?? []) === argumentsText(field.arguments ?? [])
}

/** Equal for arguments that differ only in the order of their names, as in graphql-js. */
function argumentsText(nodes: readonly ArgumentNode[]): string {
  return nodes
    .map(({ name, value }) => `${name.value}:${valueText(value)}`)
    .sort()
    .join()
}

function valueText(value: ValueNode): string {
  switch (value.kind) {
    case Kind.OBJECT:
      return `{${value.fields
        .map((field) => `${field.name.value}:${valueText(field.value)}`)
        .sort()
        .join()}}`
    case Kind.LIST:
      return `[${value.values.map(valueText).join()}]`
    case Kind.VARIABLE:
      return `$${value.name.value}`
    case Kind.STRING:
      return `${value.block === true}${JSON.stringify(value.value)}`
    case Kind.NULL:
      return 'null'
    default:
      return `${value.value}`
  }
}
