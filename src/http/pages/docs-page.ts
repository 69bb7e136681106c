import type { JsonSchema } from '../../core/schema/json-schema.ts'
import { OPEN_API } from '../contract/open-api-document.ts'
import type { Media, OperationDoc, ParameterDoc, ResponseDoc } from '../contract/openapi.ts'
import { TEAM_PARAMETERS } from '../contract/operation.ts'
import { type Html, html, inline, prose } from './html.ts'
import { pageReply } from './page-reply.ts'

type Needs = { publicUrl: string }

type Call = { method: string; path: string; operation: OperationDoc }

type Row = {
  name: string
  required: boolean
  schema: JsonSchema
  description: string
  place?: string
}

const SCHEMA_PREFIX = '#/components/schemas/'

const AUDIENCE_TEXT = {
  team: 'Token: a team’s, or the operator’s with the header `X-Team-Id` or the query `team_id`.',
  operator: 'Token: the operator’s.',
  'any-token': 'Token: any.',
  public: '',
} as const

/** The API reference, rendered from the document that requests are checked against. */
export function docsPage(needs: Needs): Response {
  const calls = Object.entries(OPEN_API.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ method, path, operation })),
  )
  const groups = OPEN_API.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const main = html`
<aside class="side"><div><nav aria-label="Calls">
${groups.map((group) => sideGroup(group.name, group.calls))}
<div class="toc"><h2>Objects</h2><ul>${objectNames().map(objectLink)}</ul></div>
</nav></div></aside>
<div>
<h1>API reference</h1>
${prose(OPEN_API.info.description)}
<p>The examples read your own address, token and key from the shell:</p>
<pre tabindex="0"><code>export HEADGATE_URL=${needs.publicUrl}
export HEADGATE_TOKEN=…  HEADGATE_KEY=…</code></pre>
${groups.map((group) => groupSection(group.name, group.description, group.calls))}
<section class="group" aria-labelledby="objects"><h2 id="objects">Objects</h2>
${objectNames().map(objectCard)}</section>
</div>`
  return pageReply({ title: 'API reference · Headgate', path: '/docs', mainClass: 'docs', main })
}

function objectNames(): string[] {
  return Object.keys(OPEN_API.components.schemas)
}

function objectLink(name: string): Html {
  return html`<li><a href="#schema-${name}">${name}</a></li>`
}

function sideGroup(name: string, calls: readonly Call[]): Html {
  const items = calls.map(({ operation }) => {
    return html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`
  })
  return html`<div class="toc"><h2>${name}</h2><ul>${items}</ul></div>`
}

function groupSection(name: string, description: string, calls: readonly Call[]): Html {
  const id = `group-${name.toLowerCase()}`
  return html`<section class="group" aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
<p class="quiet">${inline(description)}</p>${calls.map(callCard)}</section>`
}

function callCard({ method, path, operation }: Call): Html {
  const audience = AUDIENCE_TEXT[operation['x-audience']]
  const { requestBody, responses } = operation
  const answered = responses['201'] ? '201' : '200'
  // Said once in words above, not in a table of each call.
  const parameters = operation.parameters.filter((it) => !(it.name in TEAM_PARAMETERS))
  const body = requestBody?.content['application/json']
  return html`<article class="card call" id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="line"><span class="verb ${method}">${method.toUpperCase()}</span><code>${path}</code></p>
${prose(operation.description)}
${audience && html`<p class="quiet">${inline(audience)}</p>`}
${parameters.length > 0 ? html`<h4>Parameters</h4>${parameterTable(parameters)}` : null}
${body ? bodyPart(body, requestBody?.required ?? false) : null}
<h4>Example</h4>
<pre tabindex="0"><code>${operation['x-example']}</code></pre>
${answerPart(responses[answered])}
${errorsPart(responses, answered)}
</article>`
}

function bodyPart(body: Media, required: boolean): Html {
  const heading = required ? 'Body' : 'Body (may be left out)'
  return html`<h4>${heading}</h4>${fieldTable(body.schema)}`
}

function answerPart(response: ResponseDoc | undefined): Html | null {
  const media = response?.content?.['application/json']
  if (!response) return null
  if (!media) return html`<h4>Answer</h4><p>${inline(response.description)}</p>`
  const isBare = media.schema.type === 'object' && !media.schema.properties
  const type = isBare ? null : typeText(media.schema)
  return html`<h4>Answer</h4><p>${inline(response.description)} ${type}</p>
${media.example === undefined ? null : json(media.example)}
${headersPart(response)}`
}

function headersPart(response: ResponseDoc): Html | null {
  if (!response.headers) return null
  const rows = Object.entries(response.headers).map(([name, { description }]) => {
    return html`<tr><td><code>${name}</code></td><td>${inline(description)}</td></tr>`
  })
  return html`<details><summary>Headers of the answer</summary><div class="wide"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div></details>`
}

function errorsPart(responses: OperationDoc['responses'], answered: string): Html | null {
  const errors = Object.entries(responses).filter(([status]) => status !== answered)
  if (errors.length === 0) return null
  const rows = errors.map(([status, { description }]) => {
    return html`<tr><td><code>${status}</code></td><td>${inline(description)}</td></tr>`
  })
  return html`<details><summary>Errors</summary><div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
<tbody>${rows}</tbody></table></div></details>`
}

function objectCard(name: string): Html {
  const schema = OPEN_API.components.schemas[name] ?? {}
  return html`<article class="card call" id="schema-${name}"><h3>${name}</h3>
${fieldTable(schema)}</article>`
}

function json(value: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`
}

/** A table of the fields of an object, or a sentence when it is none. */
function fieldTable(schema: JsonSchema): Html {
  const object = resolved(schema)
  const fields = Object.entries(object.properties ?? {})
  if (fields.length === 0) return html`<p>${typeText(schema)}</p>`
  const rows = fields.map(([name, field]): Row => {
    const required = object.required?.includes(name) ?? false
    return { name, required, schema: field, description: field.description ?? '' }
  })
  return rowTable('Field', rows)
}

function parameterTable(parameters: readonly ParameterDoc[]): Html {
  return rowTable(
    'Parameter',
    parameters.map((it) => ({ ...it, place: it.in })),
  )
}

/** The type of a value in words; named objects link to their table. */
function typeText(schema: JsonSchema): Html {
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
