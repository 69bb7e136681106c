import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi } from '../../../tests/management-api.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi({ tokenHeaders: ['X-Alchemy-Token', 'X-Other'] })
})

afterEach(() => api.close())

function team(headers: Record<string, string>) {
  return api.call('GET', '/api/team', { token: '', headers })
}

describe('the token', () => {
  test.each([
    ['ours', ['x-service-token']],
    ['a further one', ['X-Alchemy-Token']],
    ['a further one in other letters', ['x-ALCHEMY-token']],
    ['another one', ['X-Other']],
    ['all of them', ['X-Service-Token', 'X-Alchemy-Token', 'X-Other']],
  ])('may stand in %s', async (_title, names) => {
    const headers = Object.fromEntries(names.map((name) => [name, api.teamToken]))
    const { status, body } = await team(headers)
    expect([status, body.data?.id]).toEqual([200, api.teamId])
  })

  test('is refused where two headers carry different ones, both of them good', async () => {
    const headers = { 'X-Service-Token': api.teamToken, 'X-Alchemy-Token': api.operatorToken }
    const { status, body } = await team(headers)
    expect([status, body]).toEqual([
      401,
      {
        name: 'Unauthorized',
        message: 'The headers X-Service-Token and X-Alchemy-Token carry different tokens.',
      },
    ])
    const others = { 'X-Alchemy-Token': api.teamToken, 'X-Other': 'wrong' }
    expect((await team(others)).status).toBe(401)
  })

  test('is missing where a header is empty or was never named', async () => {
    expect((await team({ 'X-Service-Token': '', 'X-Other': api.teamToken })).status).toBe(200)
    for (const name of ['X-Api-Key', 'Authorization', 'X-Token']) {
      const { status, body } = await team({ [name]: api.teamToken })
      expect([status, body.message]).toEqual([401, 'The header X-Service-Token is missing.'])
    }
  })
})

test('the document names the headers of this instance', async () => {
  const { body } = await api.call('GET', '/api/openapi.json')
  const { securitySchemes } = body.components
  expect(securitySchemes['X-Alchemy-Token']).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'X-Alchemy-Token',
  })
  expect(body.paths['/api/team'].get.security).toEqual([
    { teamToken: [] },
    { operatorToken: [] },
    { sessionCookie: [] },
    { 'X-Alchemy-Token': [] },
  ])
  expect(securitySchemes.sessionCookie).toMatchObject({
    type: 'apiKey',
    in: 'cookie',
    name: 'headgate_session',
  })
  expect(body.paths['/api/session'].get.security).toEqual([{ sessionCookie: [] }])
  expect(body.paths['/api/session'].post.security).toEqual([])
  expect(body.paths['/api/openapi.json'].get.security).toEqual([])
})
