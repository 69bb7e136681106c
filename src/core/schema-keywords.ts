import { assert } from './errors.ts'
import type { JsonType } from './json/json-value.ts'

/** The part of JSON Schema 2020-12 that we use; a keyword that is not here is not checked. */
export type JsonSchema = {
  $schema?: string
  $id?: string
  $ref?: string
  $defs?: Readonly<Record<string, JsonSchema>>
  title?: string
  description?: string
  format?: string
  example?: unknown
  examples?: readonly unknown[]
  default?: unknown
  type?: JsonType | readonly JsonType[]
  enum?: readonly unknown[]
  const?: unknown
  oneOf?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  pattern?: string
  /** What `pattern` means in words, to be read after "must be". */
  'x-form'?: string
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

/** Hops from $ref to $ref; more is a circle. */
const REF_HOPS_MAX = 16

/** The schema that a `$ref` stands for, with the words beside the `$ref` added to it. */
export function resolveRef(schema: JsonSchema, root: object): JsonSchema {
  let resolved = schema
  for (let hop = 0; resolved.$ref !== undefined; hop++) {
    assert(hop < REF_HOPS_MAX, `${schema.$ref} leads to a schema, not in a circle`)
    const { $ref, ...beside } = resolved
    resolved = { ...at($ref, root), ...beside }
  }
  return resolved
}

export function typesOf(schema: JsonSchema): readonly JsonType[] {
  const { type = [] } = schema
  return typeof type === 'string' ? [type] : type
}

/** Follows a JSON pointer (RFC 6901) within the root document. */
function at(ref: string, root: object): JsonSchema {
  assert(ref.startsWith('#/'), `${ref} points into its own document`)
  let here: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const found = typeof here === 'object' && here !== null && Object.hasOwn(here, name)
    assert(found, `${ref} exists`)
    here = (here as Record<string, unknown>)[name]
  }
  return here as JsonSchema
}
