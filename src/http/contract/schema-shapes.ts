import type { Schema } from './openapi.ts'

/** An object with these fields and no others; all are required but the optional ones. */
export function record(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
  }
}

/** What is absent stays as it is. */
export function change(properties: Readonly<Record<string, Schema>>): Schema {
  return record(properties, Object.keys(properties))
}

export function nullable(type: 'string' | 'number' | 'integer', description: string): Schema {
  return { type: [type, 'null'], description }
}
