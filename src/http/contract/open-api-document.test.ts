import { describe, expect, test } from 'bun:test'
import { checkSchema } from '../../core/schema/check-schema.ts'
import { NAME } from '../../core/schema/json-schema.ts'
import { CALL_HANDLERS } from '../api/call-handlers.ts'
import { CONTRACT } from './contract.ts'
import { GATEWAY_CALLS } from './gateway.ts'
import { OPEN_API } from './open-api-document.ts'
import { ALCHEMY_TAG, type Media, type OperationDoc, operationDoc } from './openapi.ts'

type Documented = { path: string; method: string; operation: OperationDoc }

const OPERATIONS = Object.entries(OPEN_API.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Documented => ({ path, method, operation })),
)

const named = OPERATIONS.map((it) => [`${it.method} ${it.path}`, it] as const)

/** As they are defined, with schemas within schemas, which is how requests are checked. */
const DEFINED = Object.entries({ ...GATEWAY_CALLS, ...CONTRACT }).map(([id, operation]) =>
  operationDoc(id, operation),
)

test('each documented management call has a handler, and each handler is documented', () => {
  const documented = OPERATIONS.filter(({ path }) => path.startsWith('/api/'))
  const ids = documented.map(({ operation }) => operation.operationId)
  expect(ids.sort()).toEqual(Object.keys(CALL_HANDLERS).sort())
})

test('the calls of the contract are all there', () => {
  const calls = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  expect(calls).toEqual(
    expect.arrayContaining([
      'GET /api/apps',
      'POST /api/apps',
      'GET /api/apps/{id}',
      'PATCH /api/apps/{id}',
      'DELETE /api/apps/{id}',
      'POST /api/apps/{id}/rotate-key',
      'POST /api/create-webhook',
      'GET /api/team-webhooks',
      'PUT /api/update-webhook',
      'DELETE /api/delete-webhook',
      'GET /api/dashboard-webhook-graphql-query',
      'POST /api/rotate-signing-key',
      'GET /api/graphql/variables/{name}',
      'POST /api/graphql/variables/{name}',
      'PATCH /api/graphql/variables/{name}',
      'DELETE /api/graphql/variables/{name}',
      'POST /api/test-query',
      'POST /api/check-query',
      'POST /api/estimate-query',
      'GET /api/call-stats',
      'GET /api/call-stats/time-series',
      'POST /api/replay-webhook',
      'GET /api/deliveries',
      'GET /api/deliveries/{id}',
      'POST /api/deliveries/{id}/resend',
      'GET /api/usage/summary',
      'GET /api/usage/time-series',
      'GET /api/team',
      'PATCH /api/team',
      'GET /api/team/tokens',
      'POST /api/team/tokens',
      'DELETE /api/team/tokens/{id}',
      'POST /api/session',
      'GET /api/session',
      'DELETE /api/session',
      'GET /api/sessions',
      'DELETE /api/sessions/{id}',
      'GET /api/networks',
      'GET /api/usage/upstreams',
      'GET /api/openapi.json',
      'POST /api/teams',
      'GET /api/teams',
      'POST /api/teams/{id}/tokens',
      'DELETE /api/tokens/{id}',
      'POST /{network}/v2/{key}',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
    ]),
  )
})

describe('the document is sound', () => {
  test('every reference leads to a schema, and every schema is referred to', () => {
    const used = new Set<string>()
    walk(OPEN_API, (key, value) => {
      if (key === '$ref') used.add(String(value).replace('#/components/schemas/', ''))
    })
    expect([...used].sort()).toEqual(Object.keys(OPEN_API.components.schemas).sort())
  })

  test('a name means the same schema wherever it stands', () => {
    const texts = new Map<string, string>()
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if (NAME in value) {
        const name = String(value[NAME])
        const text = JSON.stringify({ ...value, description: undefined })
        expect(texts.get(name) ?? text).toBe(text)
        texts.set(name, text)
      }
      for (const member of Object.values(value)) visit(member)
    }
    visit(DEFINED)
    expect([...texts.keys()].sort()).toEqual(Object.keys(OPEN_API.components.schemas).sort())
  })

  test('operation ids are unique, and every tag is explained', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(OPERATIONS.flatMap(({ operation }) => operation.tags))
    expect([...tags].sort()).toEqual(OPEN_API.tags.map(({ name }) => name).sort())
  })

  test('the calls that clients of Alchemy make have a tag', () => {
    const tagged = OPERATIONS.filter(({ operation }) => operation.tags.includes(ALCHEMY_TAG))
    expect([...new Set(tagged.map(({ path }) => path))]).toEqual([
      '/api/create-webhook',
      '/api/team-webhooks',
      '/api/update-webhook',
      '/api/delete-webhook',
      '/api/dashboard-webhook-graphql-query',
      '/api/graphql/variables/{name}',
    ])
  })

  test('code generators understand it: arrays have items, and constants are text', () => {
    const unclear: unknown[] = []
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      // openapi-python-client drops an array without items and every call that sends it. For an
      // optional constant that is no text, it writes code that does not parse.
      if ('type' in schema && schema.type === 'array' && !('items' in schema)) unclear.push(schema)
      if ('const' in schema && typeof schema.const !== 'string') unclear.push(schema)
      for (const member of Object.values(schema)) visit(member)
    }
    visit(OPEN_API)
    expect(unclear).toEqual([])
  })

  test('it is plain JSON: nothing is lost on the way to the client', () => {
    expect(JSON.parse(JSON.stringify(OPEN_API))).toEqual(OPEN_API)
  })

  test.each(named)('%s is described in full', (_name, { path, method, operation }) => {
    expect(operation.summary.length).toBeGreaterThan(5)
    expect(operation.description.length).toBeGreaterThan(10)
    expect(operation['x-example']).toContain('curl')
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1])
    const declared = operation.parameters.filter((it) => it.in === 'path' && it.required)
    expect(declared.map((it) => it.name)).toEqual(inPath as string[])
    expect(operation.responses['201'] ?? operation.responses['200']).toBeDefined()
    expect(method === 'get' && operation.requestBody).toBeFalsy()
    for (const scheme of operation.security.flatMap((it) => Object.keys(it))) {
      expect(Object.keys(OPEN_API.components.securitySchemes)).toContain(scheme)
    }
  })

  const defined = DEFINED.map((operation) => [operation.operationId, operation] as const)

  test.each(defined)('%s has examples that pass its own schemas', (_id, operation) => {
    const answers = Object.values(operation.responses).flatMap((it) =>
      Object.values(it.content ?? {}),
    )
    const media: Media[] = [...answers, ...Object.values(operation.requestBody?.content ?? {})]
    for (const { schema, example } of media) {
      if (example === undefined) continue
      expect(checkSchema(schema, example)).toEqual([])
    }
  })
})

function walk(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    visit(key, member)
    walk(member, visit)
  }
}
