import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

function operatorCall(method: string, path: string, body?: unknown) {
  return api.call(method, path, { token: api.operatorToken, body })
}

describe('a team', () => {
  test('reads itself, with the limits of its tier', async () => {
    expect((await api.call('GET', '/api/team')).body.data).toEqual({
      id: api.teamId,
      name: 'Payments',
      tier: 'free',
      autoscaling: false,
      limits: {
        monthly_cu: 30_000_000,
        cu_per_second: 500,
        paid: false,
        webhooks: 100,
        variable_items: 1_000_000,
        undelivered_bytes: 67_108_864,
      },
      time_created: START_MS,
    })
  })

  test('reads which tiers there are, as they are configured', async () => {
    const own = await api.call('GET', '/api/tiers')
    expect(own.body.data.map(({ name }: { name: string }) => name)).toEqual([
      ...api.needs.tiers.keys(),
    ])
    const team = (await api.call('GET', '/api/team')).body.data
    expect(own.body.data).toContainEqual({ name: 'free', limits: team.limits })
    expect((await operatorCall('GET', '/api/tiers')).body).toEqual(own.body)
    expect((await api.call('GET', '/api/tiers', { token: 'wrong' })).status).toBe(401)
  })

  test('turns autoscaling on and off by itself', async () => {
    for (const autoscaling of [true, false]) {
      const changed = await api.call('PATCH', '/api/team', { body: { autoscaling } })
      expect([changed.status, changed.body.data.autoscaling]).toEqual([200, autoscaling])
      expect((await api.call('GET', '/api/team')).body).toEqual(changed.body)
    }
    expect(api.seen.changes).toBe(2)
  })

  test('cannot change its own tier, nor anything else in that call', async () => {
    const body = { tier: 'enterprise', autoscaling: true }
    const answer = await api.call('PATCH', '/api/team', { body })
    expect([answer.status, answer.body.name]).toEqual([403, 'Forbidden'])
    const team = (await api.call('GET', '/api/team')).body.data
    expect([team.tier, team.autoscaling]).toEqual(['free', false])
  })

  test('gets another tier from the operator', async () => {
    const path = `/api/team?team_id=${api.teamId}`
    const changed = await operatorCall('PATCH', path, { tier: 'enterprise' })
    expect(changed.status).toBe(200)
    expect((await api.call('GET', '/api/team')).body.data).toMatchObject({
      tier: 'enterprise',
      limits: { monthly_cu: null, paid: true },
    })
  })

  test.each([
    [{ tier: 'gold' }, /tier.*gold.*free, enterprise/],
    [{ tier: '' }, /tier/],
    [{ autoscaling: 'yes' }, /autoscaling/],
    [{ name: 'other' }, /name/],
  ])('is not changed by %j', async (body, message) => {
    const answer = await operatorCall('PATCH', `/api/team?team_id=${api.teamId}`, body)
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toMatch(message)
  })

  test('whose tier was taken out of the configuration can still be read and helped', async () => {
    const other = await managementApi({ tiers: new Map() })
    expect((await other.call('GET', '/api/team')).body.data.limits).toBeNull()
    expect((await other.call('GET', '/api/usage/summary')).status).toBe(200)
    await other.close()
  })
})

describe('the operator', () => {
  test('creates a team whose token works at once', async () => {
    const created = await operatorCall('POST', '/api/teams', { name: 'New', tier: 'free' })
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^team_[a-z0-9]{16}$/),
      token: expect.stringMatching(/^[a-z0-9]{32}$/),
      token_id: expect.stringMatching(/^tok_[a-z0-9]{16}$/),
    })
    const { id, token } = created.body.data
    const team = await api.call('GET', '/api/team', { token })
    expect(team.body.data).toMatchObject({ id, name: 'New', tier: 'free' })
    expect((await api.call('GET', '/api/apps', { token })).body).toEqual({ data: [] })
  })

  test('lists the teams, without their tokens', async () => {
    const { id, token } = (await operatorCall('POST', '/api/teams', { name: 'B', tier: 'free' }))
      .body.data
    const listed = await operatorCall('GET', '/api/teams')
    const ids = listed.body.data.map((team: { id: string }) => team.id)
    expect(ids.sort()).toEqual([api.teamId, id].sort())
    expect(JSON.stringify(listed.body)).not.toContain(token)
  })

  test.each([
    [{ name: 'x' }, /tier/],
    [{ tier: 'free' }, /name/],
    [{ name: 'x', tier: 'gold' }, /tier.*gold.*free, enterprise/],
    [{ name: 'a\u0007b', tier: 'free' }, /name/],
    [{ name: 'x', tier: '__proto__' }, /tier/],
  ])('does not create a team from %j', async (body, message) => {
    const answer = await operatorCall('POST', '/api/teams', body)
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toMatch(message)
  })

  test('gives a team more tokens, with or without a name, and sees which there are', async () => {
    const path = `/api/teams/${api.teamId}/tokens`
    const named = (await operatorCall('POST', path, { name: 'ci' })).body.data
    const unnamed = (await operatorCall('POST', path)).body.data
    for (const { token } of [named, unnamed]) {
      expect((await api.call('GET', '/api/team', { token })).body.data.id).toBe(api.teamId)
    }
    const listed = (await operatorCall('GET', path)).body.data
    expect(listed).toHaveLength(3)
    expect(listed).toContainEqual({ id: named.id, name: 'ci', time_created: START_MS })
    expect(JSON.stringify(listed)).not.toContain(named.token)
  })

  test('revokes a token, which is refused from the next call on', async () => {
    const path = `/api/teams/${api.teamId}/tokens`
    const { id, token } = (await operatorCall('POST', path)).body.data
    const revoked = await operatorCall('DELETE', `/api/tokens/${id}`)
    expect([revoked.status, revoked.body]).toEqual([200, {}])
    expect((await api.call('GET', '/api/team', { token })).status).toBe(401)
    expect((await api.call('GET', '/api/team')).status).toBe(200)
    expect((await operatorCall('DELETE', `/api/tokens/${id}`)).status).toBe(404)
  })

  test('cannot lock itself out', async () => {
    const answer = await operatorCall('DELETE', `/api/tokens/${api.operatorTokenId}`)
    expect(answer.status).toBe(400)
    expect((await operatorCall('GET', '/api/teams')).status).toBe(200)
  })

  test.each(['GET', 'POST'])('%s tokens of a team that does not exist: 404', async (method) => {
    expect((await operatorCall(method, '/api/teams/team_none/tokens')).status).toBe(404)
  })
})

test('the networks are shown as the pool reports them', async () => {
  const report = {
    id: 'ETH_MAINNET',
    slug: 'eth-mainnet',
    kind: 'evm' as const,
    head: { number: 100, hash: '0xab', age_ms: 12.5 },
    finalized: null,
    block_time_ms: 12_000,
    verify: {
      mode: 'auto' as const,
      form: null,
      fallback: 'unknown_chain' as const,
      unproven: null,
    },
    upstreams: [
      {
        name: 'node-a',
        state: 'excluded' as const,
        reason: 'wrong chain',
        last_fault: 'timed out',
        last_fault_age_ms: 1500,
        next_probe_ms: 22_000,
        head: null,
        lag_blocks: null,
        error_rate: 0.5,
        latency_ms: null,
        in_flight: 0,
        heard: false,
        sends_only: false,
        disagreements: 0,
        last_disagreement: null,
        last_disagreement_age_ms: null,
        budget: null,
      },
    ],
    account_indexes: [],
  }
  const other = await managementApi({ networkReport: async () => [report] })
  const { body } = await other.call('GET', '/api/networks')
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject(report)
  await other.close()
})
