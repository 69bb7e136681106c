import { expect } from 'bun:test'
import { checkSchema } from '../../../src/core/schema/check-schema.ts'
import { routeTable } from '../../../src/http/api/route-table.ts'
import { CONTRACT } from '../../../src/http/contract/contract.ts'
import { operationDoc } from '../../../src/http/contract/openapi.ts'

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  body: any
}

export type CallOptions = {
  token?: string
  body?: unknown
  text?: string
  headers?: Record<string, string>
}

const findRoute = routeTable(CONTRACT, true)

/** Every answer of a documented call is held against the document, whatever the test looks at. */
export async function callAndCheck(
  url: string,
  method: string,
  path: string,
  { token, body, text, headers = {} }: CallOptions,
): Promise<Answer> {
  const sent = text ?? (body === undefined ? null : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    body: sent,
    headers: {
      ...(token && { 'x-service-token': token }),
      ...(sent !== null && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  const route = findRoute(method, path.split('?')[0] ?? '')
  // Only an answer that is public and has an ETag may be cached.
  const isPublic = route.kind === 'found' && route.operation.audience === 'public'
  const isKept = isPublic && answer.headers.get('etag') !== null
  expect(answer.headers.get('cache-control')).toBe(isKept ? 'no-cache' : 'no-store')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')

  if (route.kind !== 'found' || answer.status >= 500) return answer
  const documented = operationDoc(route.id, route.operation).responses[answer.status]
  const schema = documented?.content?.['application/json']?.schema
  expect(schema, `${method} ${path} answers ${answer.status}`).toBeDefined()
  expect(checkSchema(schema ?? {}, answer.body)).toEqual([])
  return answer
}
