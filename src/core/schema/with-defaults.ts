import { isJsonObject, JSON_DEPTH_MAX } from '../json/json-value.ts'
import { checkSchema } from './check-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Schema } from './schema.ts'

/** A copy in which whatever is absent and has a default is filled in. Check the value before. */
export function withDefaults<T>(schema: Schema<T>, value: unknown): T {
  return fill(schema, value, 0) as T
}

function fill(schema: JsonSchema, value: unknown, depth: number): unknown {
  if (depth > JSON_DEPTH_MAX) return value
  const branch = schema.anyOf?.find((candidate) => checkSchema(candidate, value).length === 0)
  const base = branch ? fill(branch, value, depth + 1) : value
  const { items } = schema
  if (Array.isArray(base)) {
    return items ? base.map((item) => fill(items, item, depth + 1)) : base
  }
  return isJsonObject(base) ? fillObject(schema, base, depth) : base
}

function fillObject(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  depth: number,
): unknown {
  const { properties = {}, additionalProperties } = schema
  const filled = new Map<string, unknown>()
  for (const [name, property] of Object.entries(properties)) {
    const present = Object.hasOwn(value, name) ? value[name] : structuredClone(property.default)
    if (present !== undefined) filled.set(name, fill(property, present, depth + 1))
  }
  for (const [name, member] of Object.entries(value)) {
    if (filled.has(name)) continue
    const known = isJsonObject(additionalProperties)
    filled.set(name, known ? fill(additionalProperties, member, depth + 1) : member)
  }
  // From entries, so that a member called __proto__ stays a plain member.
  return Object.fromEntries(filled)
}
