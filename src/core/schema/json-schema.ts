import type { JsonType } from '../json/json-value.ts'

/** Under this key a schema has the name by which a document refers to it. JSON does not show it. */
export const NAME: unique symbol = Symbol('name')

/** The part of JSON Schema 2020-12 that we use; a keyword that is not here is not checked. */
export type JsonSchema = {
  [NAME]?: string
  $schema?: string
  /** Stands in written documents only: definitions hold the schema itself. */
  $ref?: string
  title?: string
  description?: string
  default?: unknown
  type?: JsonType | readonly JsonType[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly JsonSchema[]
  pattern?: string
  /** Says what `pattern` means in words, to be read after "must be". */
  'x-form'?: string
  /** The data of the events that a stream of text is made of, by their names. */
  'x-events'?: Readonly<Record<string, JsonSchema>>
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  required?: readonly string[]
  properties?: Readonly<Record<string, JsonSchema>>
  propertyNames?: JsonSchema
  maxProperties?: number
  additionalProperties?: boolean | JsonSchema
}

export function typesOf(schema: JsonSchema): readonly JsonType[] {
  const { type = [] } = schema
  return typeof type === 'string' ? [type] : type
}
