import { Rejection } from '../../core/errors.ts'
import { checkSchema, withDefaults } from '../../core/json-schema.ts'
import { OPEN_API } from '../contract/contract.ts'
import type { Operation, Parameter, Schema } from '../contract/openapi.ts'

export type ParameterValues = Readonly<Record<string, string | number | undefined>>

/** Faults told in one answer; the rest would only bury them. */
const FAULTS_MAX = 5

const INTEGER = /^-?\d{1,15}$/

/** Path, query and header parameters of a call, checked and completed as the document says. */
export function checkParameters(
  operation: Operation,
  pathValues: ReadonlyMap<string, string>,
  query: URLSearchParams,
  headers: Headers,
): ParameterValues | Rejection {
  const values: Record<string, string | number> = {}
  const properties: Record<string, Schema> = {}
  for (const parameter of operation.parameters) {
    properties[parameter.name] = parameter.schema
    const text = parameterText(parameter, pathValues, query, headers)
    if (text !== null) values[parameter.name] = coerced(text, parameter.schema)
  }

  const strange = strangeQuery(operation, query)
  if (strange) return strange

  const required = operation.parameters.filter((it) => it.required).map((it) => it.name)
  const schema: Schema = { type: 'object', properties, required }
  return checked(schema, values) ?? (withDefaults(schema, values) as ParameterValues)
}

/** Null when the body is what the operation's schema asks for. */
export function checkBody(operation: Operation, body: unknown): Rejection | null {
  const wanted = operation.requestBody
  const media = wanted?.content['application/json']
  if (!wanted || !media) return null
  if (body === undefined) {
    return wanted.required ? new Rejection('validation', 'A JSON body is needed.') : null
  }
  return checked(media.schema, body)
}

function parameterText(
  parameter: Parameter,
  pathValues: ReadonlyMap<string, string>,
  query: URLSearchParams,
  headers: Headers,
): string | null {
  if (parameter.in === 'path') return pathValues.get(parameter.name) ?? null
  if (parameter.in === 'header') return headers.get(parameter.name)
  return query.get(parameter.name)
}

function coerced(text: string, schema: Schema): string | number {
  return schema.type === 'integer' && INTEGER.test(text) ? Number(text) : text
}

/** A misspelt parameter would otherwise be ignored without a word, a doubled one half ignored. */
function strangeQuery(operation: Operation, query: URLSearchParams): Rejection | null {
  const known = operation.parameters.filter((it) => it.in === 'query').map((it) => it.name)
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      const possible = known.length > 0 ? `possible are ${known.join(', ')}` : 'it takes none'
      return new Rejection(
        'validation',
        `This call has no query parameter ${quoted(name)}; ${possible}.`,
      )
    }
    if (query.getAll(name).length > 1) {
      return new Rejection('validation', `The query parameter ${name} is given more than once.`)
    }
  }
  return null
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function checked(schema: Schema, value: unknown): Rejection | null {
  const faults = checkSchema(schema, value, OPEN_API)
  if (faults.length === 0) return null
  const told = faults.slice(0, FAULTS_MAX).map((fault) => fault.message)
  const text = told.join('; ')
  return new Rejection('validation', text.endsWith('?') ? text : `${text}.`)
}
