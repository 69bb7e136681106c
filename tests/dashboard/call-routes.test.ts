import { expect, test } from 'bun:test'
import { CALL_ROUTES } from '../../dashboard/api/call-routes.ts'
import { CONTRACT } from '../../src/http/contract/contract.ts'

test('the dashboard makes every call by the method and path that the contract defines', () => {
  const routes = Object.entries(CONTRACT).map(([id, { method, path }]) => {
    return [id, `${method.toUpperCase()} ${path}`]
  })
  expect<Record<string, string>>(CALL_ROUTES).toEqual(Object.fromEntries(routes))
})
