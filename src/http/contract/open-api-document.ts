import packageJson from '../../../package.json' with { type: 'json' }
import { isJsonObject } from '../../core/json/json-value.ts'
import { type JsonSchema, NAME } from '../../core/schema/json-schema.ts'
import { CONTRACT } from './contract.ts'
import { GATEWAY_CALLS } from './gateway.ts'
import { ALCHEMY_TAG, operationDoc, type Paths, SESSION_COOKIE, TOKEN_HEADER } from './openapi.ts'
import { type Audience, LOCAL_TAG } from './operation.ts'

const DESCRIPTION = [
  'Headgate gives apps access to blockchain nodes: one key, every network, with limits, metering',
  `and failover.\n\nManagement calls carry a token in the header \`${TOKEN_HEADER}\`, or in another that the`,
  'configuration names (`tokenHeaders`). They take and',
  'answer JSON; an answer is `{"data": …}`, an error `{"name": "…", "message": "…"}`. Creating',
  'something answers 200, items of a variable 201.',
].join(' ')

export type OpenApi = typeof OPEN_API

const TOKENLESS: ReadonlySet<Audience> = new Set(['public', 'session'])

const { paths, schemas } = written(pathsOf())

/** The document of the API, made of the definitions that requests are checked against. */
export const OPEN_API = {
  openapi: '3.1.0',
  info: {
    title: 'Headgate',
    version: packageJson.version,
    description: DESCRIPTION,
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This instance.' }],
  tags: [
    { name: 'JSON-RPC', description: 'Access to the nodes. The key in the URL names the app.' },
    { name: 'Apps', description: 'An app has a key and the networks it may use.' },
    { name: 'Webhooks', description: 'GraphQL queries that are answered for every block.' },
    { name: 'Variables', description: 'Lists that a team’s queries name, live on the next block.' },
    { name: 'Deliveries', description: 'What was sent, how it went, and sending it again.' },
    { name: 'Events', description: 'What changes, as it changes.' },
    { name: 'Usage', description: 'What was used, in calls, compute units and bytes.' },
    { name: 'Team', description: 'The team a token belongs to, its tier and its limits.' },
    { name: 'Sessions', description: 'Browsers that are signed in with a token.' },
    { name: 'Networks', description: 'What this instance serves, and how its nodes are.' },
    { name: 'Operator', description: 'Teams and their tokens, with the operator’s token only.' },
    { name: 'Operating', description: 'For load balancers and monitoring.' },
    {
      name: ALCHEMY_TAG,
      description: 'Calls with the paths and forms of Alchemy’s; its clients work unchanged.',
    },
    { name: LOCAL_TAG, description: 'The embedded chain and the inboxes; no file configured.' },
  ],
  paths,
  components: {
    schemas,
    securitySchemes: {
      teamToken: {
        type: 'apiKey',
        in: 'header',
        name: TOKEN_HEADER,
        description: 'A team’s token.',
      },
      operatorToken: {
        type: 'apiKey',
        in: 'header',
        name: TOKEN_HEADER,
        description: 'The operator’s token; for a team’s calls with `X-Team-Id` beside it.',
      },
      sessionCookie: {
        type: 'apiKey',
        in: 'cookie',
        name: SESSION_COOKIE,
        description:
          'The cookie that `POST /api/session` sets. It stands for the token that was signed in ' +
          'with, in requests that come from this instance’s own origin and carry no token.',
      },
    },
  },
}

export function openApiDocument(publicUrl: string, tokenHeaders: readonly string[]): OpenApi {
  const { components, paths } = OPEN_API
  const schemes = tokenHeaders.map((name) => {
    const description = `The same as \`${TOKEN_HEADER}\`, for clients that send this header.`
    return [name, { type: 'apiKey', in: 'header', name, description }] as const
  })
  const securitySchemes = { ...components.securitySchemes, ...Object.fromEntries(schemes) }
  const alternatives = tokenHeaders.map((name) => ({ [name]: [] }))
  return {
    ...OPEN_API,
    servers: [{ url: publicUrl, description: 'This instance.' }],
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => {
        if (TOKENLESS.has(operation['x-audience'])) return operation
        return { ...operation, security: [...operation.security, ...alternatives] }
      }),
    ),
    components: { ...components, securitySchemes },
  }
}

function pathsOf(): Paths {
  const paths: Record<string, Paths[string]> = {}
  for (const [id, operation] of Object.entries({ ...GATEWAY_CALLS, ...CONTRACT })) {
    const { method, path } = operation
    paths[path] = { ...paths[path], [method]: operationDoc(id, operation) }
  }
  return paths
}

/** Definitions hold schemas within schemas; a document shows each named one once. */
function written(defined: Paths): { paths: Paths; schemas: Record<string, JsonSchema> } {
  const schemas: Record<string, JsonSchema> = {}

  const write = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write)
    if (!isJsonObject(value)) return value
    const name = (value as JsonSchema)[NAME]
    // Its place is kept before its parts come, so that they stand behind it.
    if (name !== undefined) schemas[name] ??= {}
    const plain = mapValues(value, write)
    if (name === undefined) return plain
    // A description belongs to the place where the schema is used.
    const { description, ...schema } = plain
    schemas[name] = schema
    const $ref = `#/components/schemas/${name}`
    return description === undefined ? { $ref } : { $ref, description }
  }

  return { paths: write(defined) as Paths, schemas }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
