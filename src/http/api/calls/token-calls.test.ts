import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import { signedIn } from '../../../../tests/support/product/signed-in.ts'
import { createToken } from '../../../tables/accounts/new-accounts.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

const TOKENS = '/api/team/tokens'

async function newToken(name = 'ci'): Promise<{ id: string; token: string }> {
  return (await api.call('POST', TOKENS, { body: { name } })).body.data
}

async function ownTokenId(): Promise<string> {
  return (await api.call('GET', TOKENS)).body.data[0].id
}

describe('a team', () => {
  test('makes tokens of its own, which work at once and are shown once', async () => {
    api.time.nowMs += 5
    const { id, token } = await newToken()
    expect(api.seen.changes).toBe(1)
    expect((await api.call('GET', '/api/team', { token })).body.data.id).toBe(api.teamId)
    expect((await api.call('GET', '/api/teams', { token })).status).toBe(403)
    const listed = (await api.call('GET', TOKENS, { token })).body.data
    expect(listed).toEqual([
      { id: await ownTokenId(), name: 'first', time_created: START_MS },
      { id, name: 'ci', time_created: START_MS + 5 },
    ])
    expect(JSON.stringify(listed)).not.toContain(token)
  })

  test('revokes them, and their sessions end', async () => {
    const { id, token } = await newToken()
    const browser = await signedIn(api, token)
    const revoked = await api.call('DELETE', `${TOKENS}/${id}`)
    expect([revoked.status, revoked.body]).toEqual([200, {}])
    expect(api.seen.changes).toBe(2)
    expect((await api.call('GET', '/api/team', { token })).status).toBe(401)
    expect((await browser.call('GET', '/api/session')).status).toBe(401)
    expect((await api.call('GET', '/api/sessions')).body.data).toEqual([])
    expect((await api.call('DELETE', `${TOKENS}/${id}`)).status).toBe(404)
  })

  test('cannot revoke the token that a call uses, itself or by its session', async () => {
    const id = await ownTokenId()
    const browser = await signedIn(api, api.teamToken)
    for (const answer of [
      await api.call('DELETE', `${TOKENS}/${id}`),
      await browser.call('DELETE', `${TOKENS}/${id}`),
    ]) {
      expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
      expect(answer.body.message).toContain('itself')
    }
    const { token } = await newToken()
    expect((await api.call('DELETE', `${TOKENS}/${id}`, { token })).status).toBe(200)
    expect((await browser.call('GET', '/api/session')).status).toBe(401)
  })

  test('does not reach tokens of others', async () => {
    const body = { name: 'Rivals', tier: 'free' }
    const token = api.operatorToken
    const rival = (await api.call('POST', '/api/teams', { token, body })).body.data
    for (const id of [rival.token_id, api.operatorTokenId, 'tok_none']) {
      expect((await api.call('DELETE', `${TOKENS}/${id}`)).status).toBe(404)
    }
    expect((await api.call('GET', '/api/team', { token: rival.token })).status).toBe(200)
    expect((await api.call('GET', '/api/teams', { token })).status).toBe(200)
  })

  test('may have two hundred', async () => {
    const { database } = api.needs
    for (let at = 0; at < 199; at++) {
      await createToken(database, api.needs, { kind: 'team', teamId: api.teamId, name: 'x' })
    }
    const refused = await api.call('POST', TOKENS, { body: { name: 'one more' } })
    expect([refused.status, refused.body.message]).toEqual([400, 'A team may have 200 tokens.'])
    const path = `/api/teams/${api.teamId}/tokens`
    expect((await api.call('POST', path, { token: api.operatorToken })).status).toBe(400)
    expect((await api.call('GET', TOKENS)).body.data).toHaveLength(200)
  })

  test.each([[{}], [{ name: '' }], [{ name: 'a\u0007' }], [{ name: 'x'.repeat(101) }]])(
    'makes none from %j',
    async (body) => {
      const answer = await api.call('POST', TOKENS, { body })
      expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
      expect(answer.body.message).toContain('name')
    },
  )
})

test('the operator does the same for a team that it names', async () => {
  const browser = await signedIn(api, api.operatorToken)
  const headers = { 'X-Team-Id': api.teamId }
  const made = await browser.call('POST', TOKENS, { headers, body: { name: 'ops' } })
  expect(made.status).toBe(200)
  expect((await browser.call('GET', TOKENS, { headers })).body.data).toHaveLength(2)
  const path = `${TOKENS}/${made.body.data.id}`
  expect((await browser.call('DELETE', path, { headers })).status).toBe(200)
  expect((await browser.call('GET', TOKENS)).status).toBe(400)
})
