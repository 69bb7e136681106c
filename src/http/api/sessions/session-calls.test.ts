import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import {
  attributesOf,
  type Browser,
  cookieOf,
  signedIn,
} from '../../../../tests/support/product/signed-in.ts'
import { Failure } from '../../../core/errors.ts'
import { type Database, sql } from '../../../ports/database.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

let api: Awaited<ReturnType<typeof managementApi>>
let team: Browser
let operator: Browser

beforeEach(async () => {
  api = await managementApi()
  team = await signedIn(api, api.teamToken)
  operator = await signedIn(api, api.operatorToken)
})

afterEach(() => api.close())

const CLEARED = ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Strict']

async function otherTeam(): Promise<{ id: string; token: string }> {
  const body = { name: 'Rivals', tier: 'free' }
  return (await operator.call('POST', '/api/teams', { body })).body.data
}

describe('a session stands for its token', () => {
  test('in calls of the team, of the operator and of both', async () => {
    const body = { name: 'x', networks: ['ETH_MAINNET'] }
    expect((await team.call('POST', '/api/apps', { body })).status).toBe(200)
    expect((await team.call('GET', '/api/networks')).status).toBe(200)
    expect((await team.call('GET', '/api/teams')).status).toBe(403)
    expect((await operator.call('GET', '/api/teams')).body.data).toHaveLength(1)
    expect((await operator.call('GET', '/api/apps')).status).toBe(400)
    const headers = { 'X-Team-Id': api.teamId }
    expect((await operator.call('GET', '/api/apps', { headers })).body.data).toHaveLength(1)
    const tier = { tier: 'enterprise' }
    expect((await team.call('PATCH', '/api/team', { body: tier })).status).toBe(403)
    expect((await operator.call('PATCH', '/api/team', { body: tier, headers })).status).toBe(200)
  })

  test('and a token in a header wins, from wherever it comes', async () => {
    const { id, token } = await otherTeam()
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    const answer = await team.call('GET', '/api/team', { token, headers })
    expect([answer.status, answer.body.data.id]).toEqual([200, id])
    const wrong = await team.call('GET', '/api/team', { token: 'wrong' })
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('with the limits of the token, which all its sessions share', async () => {
    const second = await signedIn(api, api.teamToken)
    api.time.nowMs += 1000
    for (let at = 0; at < 40; at++) await team.call('GET', '/api/networks')
    for (let at = 0; at < 40; at++) await second.call('GET', '/api/networks')
    for (let at = 0; at < 20; at++) await api.call('GET', '/api/networks')
    const refused = await team.call('GET', '/api/networks')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(refused.headers.get('set-cookie')).toBeNull()
    expect((await operator.call('GET', '/api/networks')).status).toBe(200)
  })

  test('and ends with it, at once', async () => {
    const [first] = (await operator.call('GET', `/api/teams/${api.teamId}/tokens`)).body.data
    expect((await operator.call('DELETE', `/api/tokens/${first.id}`)).status).toBe(200)
    const answer = await team.call('GET', '/api/session')
    expect([answer.status, answer.body]).toEqual([
      401,
      { name: 'Unauthorized', message: 'This session has ended; sign in again.' },
    ])
    expect(await stored()).toHaveLength(1)
  })
})

describe('the session itself', () => {
  test('is told by GET /api/session, and not to a token', async () => {
    const { status, body } = await team.call('GET', '/api/session')
    expect([status, body.data.id, body.data.kind]).toEqual([200, team.id, 'team'])
    const byToken = await api.call('GET', '/api/session')
    expect([byToken.status, byToken.body.name]).toEqual([403, 'Forbidden'])
    const byNothing = await api.call('GET', '/api/session', { token: '' })
    expect([byNothing.status, byNothing.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('ends by DELETE /api/session, which clears the cookie', async () => {
    const answer = await team.call('DELETE', '/api/session')
    expect([answer.status, answer.body, cookieOf(answer)]).toEqual([200, {}, 'headgate_session='])
    expect(attributesOf(answer)).toEqual(CLEARED)
    expect((await team.call('GET', '/api/session')).status).toBe(401)
    expect((await operator.call('GET', '/api/session')).status).toBe(200)
    expect(await stored()).toHaveLength(1)
  })

  test('that has ended is refused with 401, and its cookie clears itself', async () => {
    await team.call('DELETE', '/api/session')
    const answer = await team.call('GET', '/api/team')
    expect([answer.status, cookieOf(answer)]).toEqual([401, 'headgate_session='])
    expect(attributesOf(answer)).toEqual(CLEARED)
  })

  test('twenty calls without any secret are no guesses', async () => {
    for (let at = 0; at < 30; at++) {
      expect((await api.call('GET', '/api/session', { token: '' })).status).toBe(401)
    }
  })

  test('cookies are not guessed without end either', async () => {
    const guess = (at: number) => {
      const cookie = `headgate_session=${String(at).padStart(32, 'a')}`
      return api.call('GET', '/api/session', { token: '', headers: { cookie } })
    }
    for (let at = 0; at < 20; at++) expect((await guess(at)).status).toBe(401)
    const refused = await guess(20)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await team.call('GET', '/api/session')).status).toBe(200)
  })
})

describe('a session expires', () => {
  test('after seven days without a call', async () => {
    api.time.nowMs += 7 * DAY_MS - 1
    expect((await team.call('GET', '/api/session')).status).toBe(200)
    expect((await operator.call('GET', '/api/session')).status).toBe(200)
    api.time.nowMs += 7 * DAY_MS - 1
    expect((await team.call('GET', '/api/session')).status).toBe(200)
    api.time.nowMs += 1
    expect((await operator.call('GET', '/api/session')).status).toBe(401)
  })

  test('after thirty days, however much it is used', async () => {
    for (let day = 0; day < 6; day++) {
      api.time.nowMs += 5 * DAY_MS - 1
      expect((await team.call('GET', '/api/session')).status).toBe(200)
    }
    const { data } = (await team.call('GET', '/api/session')).body
    expect(data.time_expires).toBe(START_MS + 30 * DAY_MS)
    api.time.nowMs = START_MS + 30 * DAY_MS
    expect((await team.call('GET', '/api/session')).status).toBe(401)
  })

  test('and its last use is written at most once a minute', async () => {
    const lastUsed = async () => {
      const { data } = (await team.call('GET', '/api/sessions')).body
      return data[0].time_last_used - START_MS
    }
    expect(await lastUsed()).toBe(0)
    api.time.nowMs += MINUTE_MS - 1
    expect([await lastUsed(), await lastUsed()]).toEqual([0, 0])
    api.time.nowMs += 1
    await team.call('GET', '/api/networks')
    expect(await lastUsed()).toBe(MINUTE_MS)
    api.time.nowMs += MINUTE_MS - 1
    await team.call('GET', '/api/networks')
    expect(await lastUsed()).toBe(MINUTE_MS)
  })

  test('and is good though its use cannot be written', async () => {
    const { database } = api.needs
    const query: Database['query'] = (statement) =>
      statement.parts[0]?.includes('UPDATE sessions')
        ? Promise.reject(new Failure('database_unavailable'))
        : database.query(statement)
    api.needs.database = { ...database, query }
    api.time.nowMs += MINUTE_MS
    expect((await team.call('GET', '/api/session')).status).toBe(200)
  })
})

describe('the list of sessions', () => {
  test('shows a team its own, the one used last first, and which one is asking', async () => {
    const other = await otherTeam()
    await signedIn(api, other.token)
    const second = await signedIn(api, api.teamToken)
    api.time.nowMs += MINUTE_MS
    const { data } = (await team.call('GET', '/api/sessions')).body
    expect(data).toMatchObject([
      { id: team.id, is_current: true, time_last_used: START_MS + MINUTE_MS },
      { id: second.id, is_current: false, time_last_used: START_MS },
    ])
    expect(data[0]).toEqual({
      id: team.id,
      token: { id: expect.stringMatching(/^tok_/), name: 'first' },
      address: '192.0.2.1',
      user_agent: expect.stringContaining('Bun'),
      time_created: START_MS,
      time_last_used: START_MS + MINUTE_MS,
      time_expires: START_MS + MINUTE_MS + 7 * DAY_MS,
      is_current: true,
    })
    const byToken = (await api.call('GET', '/api/sessions')).body.data
    expect(byToken.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, false])
  })

  test('shows the operator its own, and those of the team that it names', async () => {
    const own = (await operator.call('GET', '/api/sessions')).body.data
    expect(own).toMatchObject([{ id: operator.id, is_current: true }])
    const named = await operator.call('GET', `/api/sessions?team_id=${api.teamId}`)
    expect(named.body.data).toMatchObject([{ id: team.id, is_current: false }])
    const headers = { 'X-Team-Id': 'team_none' }
    expect((await operator.call('GET', '/api/sessions', { headers })).status).toBe(404)
    expect((await team.call('GET', '/api/sessions', { headers })).status).toBe(403)
  })

  test('leaves out what has expired', async () => {
    api.time.nowMs += 7 * DAY_MS
    expect((await api.call('GET', '/api/sessions')).body.data).toEqual([])
  })
})

describe('ending a session by its id', () => {
  test('works for any of the team, and clears the cookie only of one’s own', async () => {
    const second = await signedIn(api, api.teamToken)
    const ended = await team.call('DELETE', `/api/sessions/${second.id}`)
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([200, null])
    expect((await second.call('GET', '/api/session')).status).toBe(401)
    const own = await team.call('DELETE', `/api/sessions/${team.id}`)
    expect([own.status, cookieOf(own)]).toEqual([200, 'headgate_session='])
    expect((await team.call('GET', '/api/session')).status).toBe(401)
  })

  test('does not reach those of others', async () => {
    const { token } = await otherTeam()
    const rival = await signedIn(api, token)
    for (const id of [rival.id, operator.id, 'ses_none']) {
      expect((await team.call('DELETE', `/api/sessions/${id}`)).status).toBe(404)
    }
    expect((await operator.call('DELETE', `/api/sessions/${team.id}`)).status).toBe(404)
    const path = `/api/sessions/${team.id}?team_id=${api.teamId}`
    expect((await operator.call('DELETE', path)).status).toBe(200)
    expect((await rival.call('GET', '/api/session')).status).toBe(200)
    expect((await team.call('GET', '/api/session')).status).toBe(401)
  })
})

test('no secret of a session reaches the log', async () => {
  await team.call('GET', '/api/session')
  await team.call('DELETE', '/api/session')
  await team.call('GET', '/api/session')
  const log = JSON.stringify(api.logged)
  expect(api.logged.length).toBeGreaterThan(4)
  for (const secret of [team.cookie.split('=')[1] ?? '', api.teamToken, api.operatorToken]) {
    expect(log).not.toContain(secret)
  }
})

function stored(): Promise<unknown[]> {
  return api.needs.database.query(sql`SELECT id FROM sessions`)
}
