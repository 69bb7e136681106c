// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { changeTeam, newApp, newTeam } from '../../support/product/teams.ts'

/** The delay that the contract promises for keys, apps and tiers, in every process. */
const ACTS_WITHIN_MS = 1000
const TICK_MS = 10

const node = startFakeNode('node-a')
const other = startFakeNode('node-b')
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({
    env: {
      ...networksEnv(evmNetwork('ETH_MAINNET', [node]), evmNetwork('POLYGON_MAINNET', [other])),
      HEADGATE_TIERS: '{"closed":{"monthlyCu":0,"cuPerSecond":null}}',
    },
  })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  other.stop()
})

async function statusOf(key: string, slug = 'eth-mainnet'): Promise<number> {
  return (await headgate.post(rpc('eth_gasPrice'), { key, slug })).status
}

/**
 * Asks again and again, under load as it were, until the answer is the one that was promised. The
 * product runs in this process, so its second is counted in ticks: a while in which the machine has
 * no time for either is one of them.
 */
async function becomes(expected: number, ask: () => Promise<number>): Promise<void> {
  let ticks = 0
  const ticking = setInterval(() => ticks++, TICK_MS)
  let status = await ask()
  while (status !== expected && ticks < ACTS_WITHIN_MS / TICK_MS) {
    await Bun.sleep(1)
    status = await ask()
  }
  clearInterval(ticking)
  expect(status).toBe(expected)
}

describe('a change of an app acts within a second, without a restart', () => {
  test('a new app’s key works', async () => {
    const { key } = await newApp(headgate, headgate.teamToken)
    await becomes(200, () => statusOf(key))
    expect(await statusOf('k'.repeat(32))).toBe(401)
  })

  test('a deleted app’s key stops', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    await becomes(200, () => statusOf(key))
    await headgate.api('DELETE', `/api/apps/${id}`)
    await becomes(401, () => statusOf(key))
  })

  test('a rotated key stops and the new one works', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    await becomes(200, () => statusOf(key))
    const { json } = await headgate.api('POST', `/api/apps/${id}/rotate-key`)
    expect(json.data.key).not.toBe(key)
    await becomes(401, () => statusOf(key))
    await becomes(200, () => statusOf(json.data.key))
  })

  test('a deactivated app stops and a reactivated one works', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    await becomes(200, () => statusOf(key))
    await headgate.api('PATCH', `/api/apps/${id}`, { is_active: false })
    await becomes(403, () => statusOf(key))
    await headgate.api('PATCH', `/api/apps/${id}`, { is_active: true })
    await becomes(200, () => statusOf(key))
  })

  test('a network taken away stops, one that is added works', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken, ['ETH_MAINNET'])
    await becomes(200, () => statusOf(key))
    expect(await statusOf(key, 'polygon-mainnet')).toBe(403)
    await headgate.api('PATCH', `/api/apps/${id}`, { networks: ['POLYGON_MAINNET'] })
    await becomes(403, () => statusOf(key))
    await becomes(200, () => statusOf(key, 'polygon-mainnet'))
  })

  test('a change on another machine, of which no signal came, acts too', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    await becomes(200, () => statusOf(key))
    const { signals } = headgate.running.drivers
    const publish = signals.publish
    signals.publish = async () => {}
    await headgate.api('DELETE', `/api/apps/${id}`)
    await becomes(401, () => statusOf(key))
    signals.publish = publish
  })

  test('requests under way when their key is deleted still get their answer', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const arrived = new Promise<void>((resolve) => {
      node.misbehave = (method) => {
        if (method !== 'test_getIt') return null
        resolve()
        return released.then(() => null)
      }
    })
    node.answers.test_getIt = 'done'
    const asking = headgate.post(rpc('test_getIt'), { key })
    await arrived
    await headgate.api('DELETE', `/api/apps/${id}`)
    await becomes(401, () => statusOf(key))
    release()
    expect((await asking).json.result).toBe('done')
    node.misbehave = null
  })
})

describe('a change of a team acts within a second', () => {
  test('a tier that closes, and one that opens again', async () => {
    const { id, key } = await newTeam(headgate, 'growth')
    await becomes(200, () => statusOf(key))
    await changeTeam(headgate, id, { tier: 'closed' })
    await becomes(429, () => statusOf(key))
    await changeTeam(headgate, id, { tier: 'enterprise' })
    await becomes(200, () => statusOf(key))
  })

  test('autoscaling, by the team itself', async () => {
    const { key, token } = await newTeam(headgate, 'closed')
    await becomes(429, () => statusOf(key))
    await headgate.api('PATCH', '/api/team', { autoscaling: true }, token)
    await becomes(200, () => statusOf(key))
  })

  test('a team cannot change its own tier', async () => {
    const { token } = await newTeam(headgate, 'growth')
    const answer = await headgate.api('PATCH', '/api/team', { tier: 'enterprise' }, token)
    expect(answer.status).toBe(403)
  })

  test('a revoked token stops, the team’s other one and its keys go on', async () => {
    const team = await newTeam(headgate, 'growth')
    const ask = async (token: string) =>
      (await headgate.api('GET', '/api/team', undefined, token)).status
    const path = `/api/teams/${team.id}/tokens`
    const { json } = await headgate.api('POST', path, {}, headgate.operatorToken)
    await becomes(200, () => ask(json.data.token))
    await headgate.api('DELETE', `/api/tokens/${team.tokenId}`, undefined, headgate.operatorToken)
    await becomes(401, () => ask(team.token))
    expect(await ask(json.data.token)).toBe(200)
    expect(await statusOf(team.key)).toBe(200)
  })
})
