import type { JsonSchema } from '../../core/schema/json-schema.ts'
import { OPEN_API } from '../contract/open-api-document.ts'
import type { ParameterDoc } from '../contract/openapi.ts'
import { type Html, html, inline } from './html.ts'

const SCHEMA_PREFIX = '#/components/schemas/'

type Row = {
  name: string
  required: boolean
  schema: JsonSchema
  description: string
  place?: string
}

/** A table of the fields of an object, or a sentence when it is none. */
export function fieldTable(schema: JsonSchema): Html {
  const object = resolved(schema)
  const fields = Object.entries(object.properties ?? {})
  if (fields.length === 0) return html`<p>${typeText(schema)}</p>`
  const rows = fields.map(([name, field]): Row => {
    const required = object.required?.includes(name) ?? false
    return { name, required, schema: field, description: field.description ?? '' }
  })
  return rowTable('Field', rows)
}

export function parameterTable(parameters: readonly ParameterDoc[]): Html {
  return rowTable(
    'Parameter',
    parameters.map((it) => ({ ...it, place: it.in })),
  )
}

/** What a value is, in words; named objects link to their table. */
export function typeText(schema: JsonSchema): Html {
  if (schema.$ref) return link(schema.$ref.slice(SCHEMA_PREFIX.length))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return joined(schema.enum.map((it) => html`<code>${String(it)}</code>`))
  if (schema.anyOf) return joined(schema.anyOf.map(typeText))
  if (schema.items) return html`list of ${typeText(schema.items)}`
  const data = schema.properties?.data
  if (data) return html`<code>data</code>: ${typeText(data)}`
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  return joined(types.map((type) => html`${type === 'array' ? 'list' : type}`))
}

function rowTable(heading: string, rows: readonly Row[]): Html {
  return html`<div class="wide"><table class="three">
<thead><tr><th scope="col">${heading}</th><th scope="col">Type</th>
<th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(tableRow)}</tbody></table></div>`
}

function tableRow({ name, required, schema, description, place }: Row): Html {
  const notes = [place === 'query' || place === 'header' ? place : '', required ? 'required' : '']
  const told = notes.filter((note) => note !== '').join(', ')
  const fallback = schema.default === undefined ? '' : ` Default: \`${schema.default}\`.`
  return html`<tr><td><code>${name}</code>${told && html`<br><small>${told}</small>`}</td>
<td>${typeText(schema)}</td><td>${inline(description + fallback)}</td></tr>`
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, at) => (at === 0 ? part : html` or ${part}`))}`
}

function link(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`
}

function resolved(schema: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema
  return OPEN_API.components.schemas[schema.$ref.slice(SCHEMA_PREFIX.length)] ?? {}
}
