import { afterEach, beforeEach, expect, test } from 'bun:test'
import { buildSchema, printSchema } from 'graphql'
import { managementApi } from '../../../../tests/management-api.ts'
import { querySchema } from '../../../core/query/language/query-schema.ts'

let on: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  on = await managementApi()
})

afterEach(() => on.close())

test('the schema of queries is there as text for every token, and for nobody else', async () => {
  for (const token of [on.teamToken, on.operatorToken]) {
    const response = await fetch(`${on.url}/api/graphql/schema`, {
      headers: { 'x-service-token': token },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).toStartWith('"20 bytes: 0x')
    expect(printSchema(buildSchema(text))).toBe(printSchema(querySchema()))
  }
  expect((await fetch(`${on.url}/api/graphql/schema`)).status).toBe(401)
  expect((await on.call('POST', '/api/graphql/schema')).status).toBe(405)
})
