import { Kind, type TypeNode, type VariableDefinitionNode } from 'graphql'
import { Rejection } from '../../errors.ts'
import type { VariableKind, VariableUse } from './query-plan.ts'
import type { ReadQuery } from './read-query.ts'
import { refuseQuery } from './refuse-query.ts'

/** A variable is a list that the team keeps under this name, so the name is a key of ours. */
const VARIABLE_NAME_CHARACTERS_MAX = 64

/** Pairs of variables in a filter are checked together; twenty cost some milliseconds a block. */
const VARIABLES_MAX = 20

/** The variables a query declares. Whether and where each is used is for validation to judge. */
export function readVariables(query: ReadQuery): VariableUse[] | Rejection {
  const variables: VariableUse[] = []
  const definitions = query.operation.variableDefinitions ?? []
  const beyond = definitions[VARIABLES_MAX]
  if (beyond) return refuseQuery(`more than ${VARIABLES_MAX} variables`, beyond)
  for (const definition of definitions) {
    const variable = readVariable(definition)
    if (variable instanceof Rejection) return variable
    variables.push(variable)
  }
  return variables
}

function readVariable(definition: VariableDefinitionNode): VariableUse | Rejection {
  const name = definition.variable.name.value
  if (name.length > VARIABLE_NAME_CHARACTERS_MAX) {
    return refuseQuery(
      `the variable name ${name} is longer than ${VARIABLE_NAME_CHARACTERS_MAX} characters`,
      definition,
    )
  }

  const kind = listKind(definition.type)
  if (!kind) {
    return refuseQuery(
      `the variable $${name} must be of type [Address!] or [Bytes32!]:` +
        ' variables are lists that the team keeps',
      definition,
    )
  }

  if (definition.defaultValue) {
    return refuseQuery(
      `the variable $${name} may not have a default: its items are the team's list of that name`,
      definition,
    )
  }
  return { name, kind }
}

function listKind(type: TypeNode): VariableKind | null {
  const list = nullable(type)
  if (list.kind !== Kind.LIST_TYPE) return null
  const item = nullable(list.type)
  if (item.kind !== Kind.NAMED_TYPE) return null
  const name = item.name.value
  return name === 'Address' || name === 'Bytes32' ? name : null
}

function nullable(type: TypeNode): Exclude<TypeNode, { kind: typeof Kind.NON_NULL_TYPE }> {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type
}
