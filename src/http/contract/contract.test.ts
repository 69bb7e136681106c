import { describe, expect, test } from 'bun:test'
import { checkSchema } from '../../core/json-schema.ts'
import { handledPaths } from '../api/api-router.ts'
import { CALL_HANDLERS } from '../api/call-handlers.ts'
import { OPEN_API } from './contract.ts'
import { type Media, type Operation, successStatus } from './openapi.ts'

type Documented = { path: string; method: string; operation: Operation }

const OPERATIONS = Object.entries(OPEN_API.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Documented => ({ path, method, operation })),
)

const named = OPERATIONS.map((it) => [`${it.method} ${it.path}`, it] as const)

test('each documented management call has a handler, and each handler is documented', () => {
  const documented = Object.values(handledPaths(OPEN_API.paths))
    .flatMap((methods) => Object.values(methods))
    .map((operation) => `${operation['x-audience']} ${operation.operationId}`)
  const handled = Object.entries(CALL_HANDLERS).flatMap(([audience, handlers]) =>
    Object.keys(handlers).map((id) => `${audience} ${id}`),
  )
  expect(documented.sort()).toEqual(handled.sort())
})

test('a call that is documented without a handler stops the start', () => {
  const ghost = { ...OPERATIONS[0]!.operation, operationId: 'ghost' }
  expect(() => handledPaths({ '/api/ghost': { get: ghost } })).toThrow('ghost has a handler')
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
      'POST /api/replay-webhook',
      'GET /api/deliveries',
      'GET /api/deliveries/{id}',
      'POST /api/deliveries/{id}/resend',
      'GET /api/usage/summary',
      'GET /api/usage/time-series',
      'GET /api/team',
      'PATCH /api/team',
      'GET /api/networks',
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

  test('operation ids are unique, and every tag is explained', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(OPERATIONS.flatMap(({ operation }) => operation.tags))
    expect([...tags].sort()).toEqual(OPEN_API.tags.map(({ name }) => name).sort())
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
    expect(operation.responses[successStatus(operation)]).toBeDefined()
    expect(method === 'get' && operation.requestBody).toBeFalsy()
    for (const scheme of operation.security.flatMap((it) => Object.keys(it))) {
      expect(Object.keys(OPEN_API.components.securitySchemes)).toContain(scheme)
    }
  })

  test.each(named)('%s has examples that pass its own schemas', (_name, { operation }) => {
    const answers = Object.values(operation.responses).flatMap((it) =>
      Object.values(it.content ?? {}),
    )
    const media: Media[] = [...answers, ...Object.values(operation.requestBody?.content ?? {})]
    for (const { schema, example } of media) {
      if (example === undefined) continue
      expect(checkSchema(schema, example, OPEN_API)).toEqual([])
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
