import {
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql'
import type { Rejection } from '../../errors.ts'
import { querySchema } from './query-schema.ts'
import type { ReadQuery } from './read-query.ts'
import { refuseQuery } from './refuse-query.ts'

type Survey = {
  query: ReadQuery
  /** Fields, with fragments expanded. */
  fields: number
  /** Fields, spreads and inline fragments, with fragments expanded. */
  selections: number
  fragmentsOpen: Set<string>
  fragmentsUsed: Set<string>
  /** The first of each kind, in the order of FAULTS. */
  faults: (Rejection | null)[]
}

/** A field on the way down from the root; `type` is undefined below a field that does not exist. */
type Step = { name: string; type: GraphQLNamedType | undefined; above: Step | null }

/** The root field. Receivers look for it in every delivery, so it may have no alias. */
export const ROOT_NAME = 'block'

const FIELDS_MAX = 500

/** Spreads of spreads may multiply without a single field; four to a field is plenty. */
const SELECTIONS_MAX = 2_000

/** One layer of self-reference: `logs { transaction { logs` is fine, a third `logs` is not. */
const SAME_ENTITY_ON_PATH_MAX = 2

const ENTITIES = new Set(['Block', 'Transaction', 'Log', 'CallTracerTrace'])

/** A query with several faults is refused for the one listed first here. */
const FAULTS = [inputDataFault, reservedFault, rootAliasFault, depthFault]

/**
 * Walks the query as it would expand, whatever its directives say, and refuses what is too big,
 * too deep or never served. It stops at the limits, so that the checks after it have little to do.
 */
export function checkQueryLimits(query: ReadQuery): Rejection | null {
  const survey: Survey = {
    query,
    fields: 0,
    selections: 0,
    fragmentsOpen: new Set(),
    fragmentsUsed: new Set(),
    faults: [],
  }
  const root: Step = { name: '', type: querySchema().getQueryType() ?? undefined, above: null }
  return (
    visitSelections(survey, query.operation.selectionSet.selections, root, root.type) ??
    survey.faults.find((fault) => fault !== null) ??
    unusedFragment(survey)
  )
}

/** `on` is what the selections are made on: the type of `step` or that of a fragment. */
function visitSelections(
  survey: Survey,
  selections: readonly SelectionNode[],
  step: Step,
  on: GraphQLNamedType | undefined,
): Rejection | null {
  for (const selection of selections) {
    survey.selections += 1
    if (survey.selections > SELECTIONS_MAX) {
      return refuseQuery(`more than ${SELECTIONS_MAX} selections with fragments expanded`)
    }
    const refused = visitSelection(survey, selection, step, on)
    if (refused) return refused
  }
  return null
}

function visitSelection(
  survey: Survey,
  selection: SelectionNode,
  step: Step,
  on: GraphQLNamedType | undefined,
): Rejection | null {
  if (selection.kind === Kind.FIELD) return visitField(survey, selection, step, on)
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    return visitFragment(survey, selection.name.value, step)
  }
  const condition = selection.typeCondition?.name.value
  const inner = condition === undefined ? on : querySchema().getType(condition)
  return visitSelections(survey, selection.selectionSet.selections, step, inner)
}

function visitField(
  survey: Survey,
  field: FieldNode,
  above: Step,
  on: GraphQLNamedType | undefined,
): Rejection | null {
  survey.fields += 1
  if (survey.fields > FIELDS_MAX) {
    return refuseQuery(`more than ${FIELDS_MAX} fields with fragments expanded`)
  }

  const name = field.name.value
  const definition = isObjectType(on) ? on.getFields()[name] : undefined
  const step: Step = { name, type: definition && getNamedType(definition.type), above }
  for (const [at, faultOf] of FAULTS.entries()) survey.faults[at] ??= faultOf(field, step, on)

  const selections = field.selectionSet?.selections ?? []
  return visitSelections(survey, selections, step, step.type)
}

function visitFragment(survey: Survey, name: string, step: Step): Rejection | null {
  const fragment = survey.query.fragments.get(name)
  // Validation has the better words for a fragment that does not exist.
  if (!fragment) return null
  if (survey.fragmentsOpen.has(name)) {
    return refuseQuery(`the fragment ${name} contains itself`, fragment)
  }

  survey.fragmentsUsed.add(name)
  survey.fragmentsOpen.add(name)
  const on = querySchema().getType(fragment.typeCondition.name.value)
  const refused = visitSelections(survey, fragment.selectionSet.selections, step, on)
  survey.fragmentsOpen.delete(name)
  return refused
}

function inputDataFault(
  field: FieldNode,
  step: Step,
  on: GraphQLNamedType | undefined,
): Rejection | null {
  if (step.name !== 'inputData' || on?.name !== 'Transaction') return null
  return refuseQuery(
    `transactions.inputData is not supported; asked for at ${pathText(step)}`,
    field,
    'unsupported_field',
  )
}

/**
 * Refuses names that GraphQL reserves: as aliases they would meet `__proto__` in many a
 * receiver. `__typename`, which clients add to every selection, is answered.
 */
function reservedFault(field: FieldNode, step: Step): Rejection | null {
  const isTypeName = step.name === '__typename'
  if (isTypeName && (field.alias?.value ?? step.name) === step.name) return null
  if (step.name.startsWith('__') && !isTypeName) {
    const words = `${pathText(step)} starts with two underscores`
    return refuseQuery(`introspection is not possible: ${words}`, field)
  }
  if (!field.alias?.value.startsWith('__')) return null
  const words = 'names that start with two underscores are reserved'
  return refuseQuery(`${words}: ${field.alias.value}`, field)
}

function rootAliasFault(field: FieldNode, step: Step): Rejection | null {
  const alias = field.alias?.value ?? ROOT_NAME
  if (step.name !== ROOT_NAME || alias === ROOT_NAME) return null
  // Below the root there is another field of that name, whose aliases are like any other.
  if (step.above?.above) return null
  return refuseQuery(`${ROOT_NAME} may not be given another name: ${alias}`, field)
}

function depthFault(field: FieldNode, step: Step): Rejection | null {
  const entity = step.type?.name
  if (entity === undefined || !ENTITIES.has(entity)) return null
  let onPath = 0
  for (let at: Step | null = step; at; at = at.above) {
    if (at.type?.name === entity) onPath += 1
  }
  if (onPath <= SAME_ENTITY_ON_PATH_MAX) return null
  return refuseQuery(
    `${pathText(step)} nests too deep: ${entity} may stand at most twice on a path`,
    field,
    'query_too_deep',
  )
}

function pathText(step: Step): string {
  const names: string[] = []
  for (let at: Step | null = step; at?.above; at = at.above) names.push(at.name)
  return names.reverse().join('.')
}

function unusedFragment(survey: Survey): Rejection | null {
  for (const [name, fragment] of survey.query.fragments) {
    if (!survey.fragmentsUsed.has(name)) {
      return refuseQuery(`the fragment ${name} is never used`, fragment)
    }
  }
  return null
}
