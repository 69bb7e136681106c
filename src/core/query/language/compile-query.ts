import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  isObjectType,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from 'graphql'
import { assert, Rejection } from '../../errors.ts'
import { buildSelection } from './build-selection.ts'
import { checkQueryLimits, ROOT_NAME } from './check-query-limits.ts'
import { findFieldConflict, mergeFields } from './merge-fields.ts'
import type { QueryPlan } from './query-plan.ts'
import { querySchema } from './query-schema.ts'
import { queryWants } from './query-wants.ts'
import { type ReadQuery, readQuery } from './read-query.ts'
import { readVariables } from './read-variables.ts'
import { refuseQuery } from './refuse-query.ts'

/** `findFieldConflict` does the work of the rule that is left out, in less time. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

/** Compiles the text of a query into the form it is run in, or says why it cannot. */
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

function firstError(query: ReadQuery): Rejection | null {
  const [error] = validate(querySchema(), query.document, RULES, { maxErrors: 1 })
  return error ? refuseQuery(error.message, error.locations?.[0]) : null
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
