import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { assert, Rejection } from '../../errors.ts'
import { mergeFields, selectionSetsOf } from './merge-fields.ts'
import type { EntityName, SelectedField, SelectionSet } from './query-plan.ts'
import { querySchema } from './query-schema.ts'
import { filterText, readFilter } from './read-filter.ts'
import type { ReadQuery } from './read-query.ts'
import { refuseQuery } from './refuse-query.ts'

/** Each alias of a list is a list of its own to filter and to send. */
const ALIASES_OF_ONE_LIST_MAX = 20

/** Merges what the given fields, which share a response name, select on `type`. */
export function buildSelection(
  query: ReadQuery,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): SelectionSet | Rejection {
  const fields: SelectedField[] = []
  const aliases = new Map<string, number>()
  for (const [responseName, sameName] of mergeFields(query, selectionSetsOf(nodes))) {
    const [node] = sameName
    const refused = countAlias(aliases, type, node)
    if (refused) return refused

    const field = buildField(query, type, responseName, sameName)
    if (field instanceof Rejection) return field
    fields.push(field)
  }
  // The schema's object types, but for Query, are our entities.
  const on = type.name as EntityName
  return { on, key: `${on}{${fields.map(fieldText).join(' ')}}`, fields }
}

function countAlias(
  aliases: Map<string, number>,
  type: GraphQLObjectType,
  node: FieldNode,
): Rejection | null {
  const name = node.name.value
  const fieldType = fieldTypeOf(type, node)
  if (!isListType(getNullableType(fieldType)) || !isObjectType(getNamedType(fieldType))) return null
  const count = (aliases.get(name) ?? 0) + 1
  aliases.set(name, count)
  if (count <= ALIASES_OF_ONE_LIST_MAX) return null
  return refuseQuery(
    `${name} is asked for under more than ${ALIASES_OF_ONE_LIST_MAX} names in one selection`,
    node,
  )
}

function buildField(
  query: ReadQuery,
  type: GraphQLObjectType,
  responseName: string,
  nodes: readonly [FieldNode, ...FieldNode[]],
): SelectedField | Rejection {
  const [node] = nodes
  const filter = readFilter(node)
  if (filter instanceof Rejection) return filter

  const inner = getNamedType(fieldTypeOf(type, node))
  const selection = isObjectType(inner) ? buildSelection(query, inner, nodes) : null
  if (selection instanceof Rejection) return selection
  return { responseName, name: node.name.value, selection, filter }
}

function fieldTypeOf(type: GraphQLObjectType, node: FieldNode) {
  const definition = querySchema().getField(type, node.name.value)
  assert(definition !== undefined, 'a validated query asks for known fields')
  return definition.type
}

/** Names, hex digits and `$` never look like the punctuation between them. */
function fieldText({ responseName, name, selection, filter }: SelectedField): string {
  const alias = responseName === name ? '' : `${responseName}:`
  const filterPart = filter ? `(${filterText(filter)})` : ''
  return `${alias}${name}${filterPart}${selection?.key ?? ''}`
}
