import { assert } from '../../src/core/errors.ts'
import type { JsonSchema } from '../../src/core/schema/json-schema.ts'
import type { OpenApi } from '../../src/http/contract/open-api-document.ts'
import type { OperationDoc } from '../../src/http/contract/openapi.ts'
import { ANSWERED, commentText, objectText, type Side, typeText } from './type-text.ts'

type Call = { route: string; operation: OperationDoc }

/** Only management calls: JSON-RPC has clients of its own. */
const MANAGED = '/api/'

const REFERENCE = '#/components/schemas/'

const HEAD = `// Made of the OpenAPI document by \`npm run build:client\`. Changes belong into src/http/contract.\n`

/** The generated sources of the client by their names, made of the document alone. */
export function clientSources(document: OpenApi): Readonly<Record<string, string>> {
  const calls = callsOf(document)
  return {
    'call-routes.ts': routesText(document, calls),
    'calls.ts': callsText(document, calls),
    'schemas.ts': schemasText(document, calls),
  }
}

function callsOf({ paths }: OpenApi): Call[] {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(MANAGED))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        return { route: `${method.toUpperCase()} ${path}`, operation }
      }),
    )
}

function routesText(document: OpenApi, calls: readonly Call[]): string {
  const routes = calls.map(({ route, operation }) => `  ${operation.operationId}: '${route}',\n`)
  const headers = calls.flatMap(({ operation }) =>
    operation.parameters.filter((it) => it.in === 'header').map(({ name }) => name),
  )
  const paged = calls.flatMap(({ operation }) => {
    const cursor = cursorOf(document, operation)
    if (cursor === null) return []
    const { parameter, member } = cursor
    return [`  ${operation.operationId}: { parameter: '${parameter}', member: '${member}' },\n`]
  })
  const names = [...new Set(headers)].map((name) => `  '${name}',\n`)
  return `${HEAD}
/** The method and path of every call, by its operation id. */
export const CALL_ROUTES = {
${routes.join('')}} as const

/** Parameters that are headers; the others stand in the path or in the query string. */
export const HEADER_PARAMETERS: ReadonlySet<string> = new Set([
${names.join('')}])

/** Calls that answer page by page: the parameter that the cursor of the next page goes into. */
export const PAGED_CALLS = {
${paged.join('')}} as const
`
}

/** Where a page names the next one, and the parameter that asks for it. */
function cursorOf(document: OpenApi, operation: OperationDoc) {
  const page = resolved(document, answerSchema(operation))
  const { pagination } = page.properties ?? {}
  const { cursors } = resolved(document, pagination ?? {}).properties ?? {}
  const [member] = Object.keys(resolved(document, cursors ?? {}).properties ?? {})
  if (member === undefined) return null
  const names = operation.parameters.map(({ name }) => name)
  const parameter = ['cursor', member].find((name) => names.includes(name))
  assert(parameter !== undefined, 'a call that answers pages takes the cursor of the next one')
  return { parameter, member }
}

function callsText(document: OpenApi, calls: readonly Call[]): string {
  const sent = sentSide(document, calls)
  const members = calls.map(({ operation }) => ({
    name: operation.operationId,
    isOptional: false,
    type: callText(operation, sent),
    description: `${operation.summary}. ${operation.description}`,
  }))
  const events = Object.entries(eventsOf(calls)).map(([name, schema]) => ({
    name,
    isOptional: false,
    type: typeText(schema, 1, ANSWERED),
    description: '',
  }))
  const body = `/** Every call by its operation id. */
export type Calls = ${objectText(members, 0)}

/** The data of each event of the stream, by its name. */
export type Events = ${objectText(events, 0)}
`
  const names = Object.keys(document.components.schemas)
  const used = [...names, ...names.map(sent.nameOf)].filter((name) => {
    return new RegExp(`\\b${name}\\b`).test(withoutComments(body))
  })
  const imports = [...new Set(used)].sort().map((name) => `  ${name},\n`)
  return `${HEAD}import type {\n${imports.join('')}} from './schemas.ts'\n\n${body}`
}

function callText(operation: OperationDoc, side: Side): string {
  const sent = operation.requestBody
  const schema = sent?.content['application/json']?.schema
  const member = (name: string, type: string) => ({
    name,
    isOptional: false,
    type,
    description: '',
  })
  const body = schema ? typeText(schema, 2, side) : 'undefined'
  return objectText(
    [
      member('parameters', parametersText(operation, side)),
      member('body', sent && !sent.required ? `${body} | undefined` : body),
      member('answer', typeText(answerSchema(operation), 2, ANSWERED)),
    ],
    1,
  )
}

function parametersText({ parameters }: OperationDoc, side: Side): string {
  if (parameters.length === 0) return 'Record<never, never>'
  const members = parameters.map(({ name, required, description, schema }) => {
    const type = typeText(schema, 3, side)
    return {
      name,
      isOptional: !required,
      type: required ? type : `${type} | undefined`,
      description,
    }
  })
  return objectText(members, 2)
}

function answerSchema({ responses }: OperationDoc): JsonSchema {
  const content = (responses['200'] ?? responses['201'])?.content ?? {}
  return Object.values(content)[0]?.schema ?? { type: 'string' }
}

function eventsOf(calls: readonly Call[]): Readonly<Record<string, JsonSchema>> {
  const streams = calls.map(({ operation }) => answerSchema(operation)['x-events'])
  return Object.assign({}, ...streams)
}

function schemasText(document: OpenApi, calls: readonly Call[]): string {
  const { schemas } = document.components
  const side = sentSide(document, calls)
  const { sent, answered } = namesOf(document, calls)
  const write = (name: string, shown: string, as: Side): [string, string] => {
    const { description = '', ...schema } = schemas[name] ?? {}
    const type = typeText(schema, 0, as)
    return [shown, `${commentText(description, 0)}export type ${shown} = ${type}\n`]
  }
  const texts = [
    ...[...answered].map((name) => write(name, name, ANSWERED)),
    ...[...sent].map((name) => write(name, side.nameOf(name), side)),
  ]
  // A name of both sides that is the same on both stands once.
  const named = Object.entries(Object.fromEntries(texts)).sort(([a], [b]) => (a < b ? -1 : 1))
  return [HEAD, ...named.map(([, text]) => text)].join('\n')
}

/** The names of the schemas on both sides. Errors are told by an exception of the client's own. */
function namesOf(document: OpenApi, calls: readonly Call[]) {
  const sent = calls.map(({ operation }) => [operation.parameters, operation.requestBody])
  const answered = calls.map(({ operation }) => answerSchema(operation))
  return { sent: reached(document, sent), answered: reached(document, answered) }
}

/** Schemas that are answered as well and differ there have another name where they are sent. */
function sentSide(document: OpenApi, calls: readonly Call[]): Side {
  const { answered } = namesOf(document, calls)
  const { schemas } = document.components
  const hasDefault = (name: string) =>
    [name, ...reached(document, schemas[name])].some((one) =>
      Object.values(schemas[one]?.properties ?? {}).some((it) => it.default !== undefined),
    )
  return {
    isSent: true,
    nameOf: (name) => (answered.has(name) && hasDefault(name) ? `${name}Input` : name),
  }
}

/** The names of all schemas that a value refers to, at whatever distance. */
function reached({ components }: OpenApi, from: unknown): Set<string> {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as JsonSchema
    const name = typeof $ref === 'string' ? $ref.slice(REFERENCE.length) : ''
    if (name !== '' && !names.has(name)) {
      names.add(name)
      visit(components.schemas[name])
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(from)
  return names
}

function resolved({ components }: OpenApi, schema: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema
  return components.schemas[schema.$ref.slice(REFERENCE.length)] ?? {}
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '')
}
