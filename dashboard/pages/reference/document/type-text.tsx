import type { ComponentChild } from 'preact'
import { objectName, type SchemaDoc } from './reference-doc.ts'

export function TypeText({ schema }: { schema: SchemaDoc }) {
  const name = objectName(schema)
  if (name) return <a href={`#schema-${name}`}>{name}</a>
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum)
    return joined(schema.enum.map((it) => <code key={String(it)}>{String(it)}</code>))
  if (schema.anyOf) return joined(schema.anyOf.map((one, at) => <TypeText key={at} schema={one} />))
  if (schema.items) {
    return (
      <>
        list of <TypeText schema={schema.items} />
      </>
    )
  }
  const data = schema.properties?.data
  if (data) {
    return (
      <>
        <code>data</code>: <TypeText schema={data} />
      </>
    )
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  return joined(types.map((type) => (type === 'array' ? 'list' : type)))
}

function joined(parts: readonly ComponentChild[]) {
  return <>{parts.map((part, at) => (at === 0 ? part : [' or ', part]))}</>
}
