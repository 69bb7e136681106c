import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  isObjectType,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from 'graphql'
import { assert, type QueryError, Rejection } from '../../errors.ts'
import { buildSelection } from './build-selection.ts'
import { checkQueryLimits, ROOT_NAME } from './check-query-limits.ts'
import { findFieldConflict, mergeFields } from './merge-fields.ts'
import type { QueryPlan } from './query-plan.ts'
import { querySchema } from './query-schema.ts'
import { queryWants } from './query-wants.ts'
import { type ReadQuery, readQuery } from './read-query.ts'
import { readVariables } from './read-variables.ts'
import { queryErrorOf, refuseQuery } from './refuse-query.ts'

/** `findFieldConflict` does the work of the rule that is left out, in less time. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

export function compileQuery(text: string): QueryPlan | Rejection {
  const query = readQuery(text)
  if (query instanceof Rejection) return query

  const oversized = checkQueryLimits(query)
  if (oversized) return oversized

  const variables = readVariables(query)
  if (variables instanceof Rejection) return variables

  const invalid = firstError(query) ?? findFieldConflict(query)
  if (invalid) return invalid

  const root = readRoot(query)
  if (root instanceof Rejection) return root

  const dryRunBlock = readDryRunBlock(root)
  if (dryRunBlock instanceof Rejection) return dryRunBlock

  const block = getNamedType(root.definition.type)
  assert(isObjectType(block), 'block is an object')
  const selection = buildSelection(query, block, root.nodes)
  if (selection instanceof Rejection) return selection

  const { before, after } = root
  return {
    root: { before, after },
    selection,
    wants: queryWants(selection),
    variables,
    dryRunBlock,
  }
}

/** The mistakes of a query that `compileQuery` refuses, its reason first; some at most. */
export function findQueryErrors(text: string, refused: Rejection, errorsMax: number): QueryError[] {
  const { queryError = { message: refused.message, place: null } } = refused.facts
  const query = readQuery(text)
  const isReadable =
    !(query instanceof Rejection) &&
    !checkQueryLimits(query) &&
    !(readVariables(query) instanceof Rejection)
  if (!isReadable) return [queryError]
  // The validator says at the end that it stopped, without a place.
  const errors = validateQuery(query, errorsMax).slice(0, errorsMax)
  const found = errors.map((error) => queryErrorOf(error.message, placeOf(error)))
  return found.length > 0 ? found : [queryError]
}

function firstError(query: ReadQuery): Rejection | null {
  const [error] = validateQuery(query, 1)
  return error ? refuseQuery(error.message, placeOf(error)) : null
}

function validateQuery({ document }: ReadQuery, errorsMax: number): readonly GraphQLError[] {
  return validate(querySchema(), document, RULES, { maxErrors: errorsMax })
}

function placeOf({ nodes, locations }: GraphQLError) {
  return nodes?.[0] ?? locations?.[0]
}

type Root = QueryPlan['root'] & {
  nodes: readonly [FieldNode, ...FieldNode[]]
  definition: GraphQLField<unknown, unknown>
}

function readRoot(query: ReadQuery): Root | Rejection {
  const merged = mergeFields(query, [query.operation.selectionSet])
  if (merged.size === 0) {
    return refuseQuery('its directives leave nothing to ask for', query.operation)
  }
  const nodes = merged.get(ROOT_NAME)
  if (nodes?.[0].name.value !== ROOT_NAME) {
    return refuseQuery(`the query must ask for ${ROOT_NAME}`, query.operation)
  }

  const definition = querySchema().getQueryType()?.getFields()[ROOT_NAME]
  assert(definition !== undefined, 'the schema has the root field')
  // Any other member is __typename: the schema has no other field, and aliases are refused.
  const [before = '', after = ''] = [...merged.keys()]
    .map((name) => (name === ROOT_NAME ? '\n' : `"${name}":"Query"`))
    .join()
    .split('\n')
  return { before: `{${before}"${ROOT_NAME}":`, after: `${after}}`, nodes, definition }
}

function readDryRunBlock({ nodes, definition }: Root): QueryPlan['dryRunBlock'] | Rejection {
  const { hash, number } = getArgumentValues(definition, nodes[0])
  const byHash = typeof hash === 'string'
  const byNumber = typeof number === 'number'
  if (byHash && byNumber) {
    return refuseQuery('block takes a hash or a number, not both', nodes[0])
  }
  if (byHash) return { hash }
  return byNumber ? { number } : null
}
