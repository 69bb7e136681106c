import { Rejection } from '../../../core/errors.ts'
import type { VariableUse } from '../../../core/query/language/query-plan.ts'

export const KIND_WORDS = { Address: 'addresses', Bytes32: 'values of 32 bytes' } as const

/** Refuses a query that declares a variable as another kind than its items have. */
export function variableKindRefusal({ name, kind }: VariableUse): Rejection {
  return new Rejection(
    'validation',
    `graphql_query: the variable ${name} holds ${KIND_WORDS[kind]}; declare it as [${kind}!].`,
  )
}
