import { Rejection } from '../../core/errors.ts'
import { checkSchema } from '../../core/schema/check-schema.ts'
import type { JsonSchema } from '../../core/schema/json-schema.ts'
import type { Schema } from '../../core/schema/schema.ts'
import { withDefaults } from '../../core/schema/with-defaults.ts'
import type { Operation } from '../contract/operation.ts'

export type ParameterValues = Readonly<Record<string, string | number | undefined>>

/** Faults told in one answer; the rest would only bury them. */
const FAULTS_MAX = 5

const INTEGER = /^-?\d{1,15}$/

/** Path, query and header parameters of a call, checked and completed as its definition says. */
export function checkRequestParameters(
  operation: Operation,
  pathValues: ReadonlyMap<string, string>,
  query: URLSearchParams,
  headers: Headers,
): ParameterValues | Rejection {
  const values: Record<string, string | number> = {}
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const given = { path: pathValues, query, header: headers }
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    properties[name] = parameter.schema
    if (parameter.required) required.push(name)
    const text = given[parameter.in].get(name) ?? null
    if (text !== null) values[name] = coerced(text, parameter.schema)
  }

  const strange = strangeQuery(operation, query)
  if (strange) return strange

  const schema: JsonSchema = { type: 'object', properties, required }
  return checked(schema as Schema<ParameterValues>, values)
}

/** The body of a call, checked and completed as its definition says. */
export function checkRequestBody({ body: wanted }: Operation, body: unknown): unknown {
  if (!wanted) return undefined
  if (body === undefined) {
    return wanted.required ? new Rejection('validation', 'A JSON body is needed.') : undefined
  }
  return checked(wanted.schema, body)
}

function coerced(text: string, schema: JsonSchema): string | number {
  return schema.type === 'integer' && INTEGER.test(text) ? Number(text) : text
}

/** A misspelt parameter would otherwise be ignored without a word, a doubled one half ignored. */
function strangeQuery(operation: Operation, query: URLSearchParams): Rejection | null {
  const { parameters } = operation
  const known = Object.keys(parameters).filter((name) => parameters[name]?.in === 'query')
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      const possible = known.length > 0 ? `possible are ${known.join(', ')}` : 'it takes none'
      const quoted = JSON.stringify(name.slice(0, 100))
      return new Rejection('validation', `This call has no query parameter ${quoted}; ${possible}.`)
    }
    if (query.getAll(name).length > 1) {
      return new Rejection('validation', `The query parameter ${name} is given more than once.`)
    }
  }
  return null
}

function checked<T>(schema: Schema<T>, value: unknown): T | Rejection {
  const faults = checkSchema(schema, value)
  if (faults.length === 0) return withDefaults(schema, value)
  const told = faults.slice(0, FAULTS_MAX).map((fault) => fault.message)
  const text = told.join('; ')
  return new Rejection('validation', text.endsWith('?') ? text : `${text}.`)
}
