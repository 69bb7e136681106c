// Runs on both stores.
import { describe, expect, test } from 'bun:test'
import { startLoad } from '../../support/basics/load.ts'
import {
  callProcess,
  configuredProcess,
  stopProcess,
} from '../../support/product/configured-process.ts'
import { until } from '../../support/product/headgate.ts'
import {
  configText,
  type HeadgateProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

const stage = configuredProcess()

describe('SIGHUP with other limits', () => {
  const TIERS = 'tiers: { tiny: { monthlyCu: 1000, cuPerSecond: 1 } }\n'

  test('acts on teams at once, without a failed request', async () => {
    stage.configure([stage.nodeA], TIERS)
    const headgate = await stage.start()
    const load = startLoad(headgate)
    const { token, key } = await newTeam(headgate, 'tiny')
    expect(await statusesOf(headgate, key, 2)).toEqual([200, 429])

    const more = 'tiers: { tiny: { monthlyCu: 1000, cuPerSecond: null, paid: true } }\n'
    await reloaded(headgate, configText([stage.nodeA], more), '"event":"reloaded"}')
    expect(await statusesOf(headgate, key, 5)).toEqual([200, 200, 200, 200, 200])
    const team = await api(headgate, 'GET', '/api/team', token)
    expect(team.data.limits).toMatchObject({ monthly_cu: 1000, cu_per_second: null, paid: true })

    const less = 'tiers: { tiny: { monthlyCu: 100, cuPerSecond: null } }\n'
    await reloaded(headgate, configText([stage.nodeA], less), '"event":"reloaded"}', 2)
    expect(await statusesOf(headgate, key, 1)).toEqual([429])
    await load.stop()
    expect({ wrong: load.wrong, lost: load.lost }).toEqual({ wrong: [], lost: 0 })
  })

  test('turns the demo key on and off', async () => {
    const headgate = await stage.start()
    expect(await statusesOf(headgate, 'demo', 1)).toEqual([401])
    await reloaded(headgate, configText([stage.nodeA], 'demoKey: true\n'), '"event":"reloaded"}')
    expect(await statusesOf(headgate, 'demo', 1)).toEqual([200])
    await reloaded(headgate, configText([stage.nodeA]), '"event":"reloaded"}', 2)
    expect(await statusesOf(headgate, 'demo', 1)).toEqual([401])
  })

  test('serves and refuses other methods', async () => {
    stage.nodeA.answers.admin_peers = []
    const headgate = await stage.start()
    const ask = async () => {
      const answer = (await (await callProcess(headgate, 'admin_peers', [])).json()) as {
        result?: object
      }
      return answer.result
    }
    expect(await ask()).toBeUndefined()
    const open = configText([stage.nodeA]).replace(
      'chainId: 1',
      'chainId: 1\n    methods: { allow: [admin_peers] }',
    )
    await reloaded(headgate, open, '"event":"reloaded"}')
    expect(await ask()).toEqual([])
  })

  test('names what needs a restart, and leaves that as it was', async () => {
    const headgate = await stage.start()
    const secret = 'ab'.repeat(32)
    const text = configText(
      [stage.nodeA],
      `roles: [gateway, api]\nsecret: ${secret}\nlog: { requests: false }\n`,
    )
    // On PostgreSQL the tests give the secret by a variable, which goes before the file.
    const ofSecret = WORLD === 'postgres' ? '' : ', secret'
    const needs = `"needs_restart":"listen, log.requests, roles${ofSecret}"`
    await reloaded(headgate, text.replace('127.0.0.1:0', '127.0.0.1:1'), needs)
    expect(headgate.said()).not.toContain(secret)
    expect(await statusesOf(headgate, headgate.keys.app_key, 1)).toEqual([200])
  })

  test('a tier that teams are on cannot be taken out, by a start neither', async () => {
    stage.configure([stage.nodeA], TIERS)
    const headgate = await stage.start()
    const { key } = await newTeam(headgate, 'tiny')
    await newTeam(headgate, 'tiny')
    const why =
      'headgate.yaml:1: tiers.tiny is missing, and 2 teams are on it; move them to another tier first'
    await reloaded(headgate, configText([stage.nodeB]), JSON.stringify(why))
    const kept = await callProcess(headgate, 'eth_getBalance', [1])
    expect(kept.headers.get('x-headgate-upstream')).toBe('node-a')
    expect(await statusesOf(headgate, key, 1)).toEqual([200])
    await stopProcess(headgate)

    const { exitCode, stderr } = await stage.run()
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `${why}\n` })
  })
})

/** Writes the file, sends the signal and waits until the log has said a text so many times. */
async function reloaded(
  headgate: HeadgateProcess,
  file: string,
  text: string,
  times = 1,
): Promise<void> {
  writeConfig(stage.folder, file)
  headgate.signal('SIGHUP')
  await until(() => headgate.said().split(text).length > times, `the log says ${text}`)
}

async function api(
  { url }: HeadgateProcess,
  method: string,
  path: string,
  token: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
): Promise<any> {
  const headers = { 'x-service-token': token, 'content-type': 'application/json' }
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function newTeam(headgate: HeadgateProcess, tier: string) {
  const { operator_token: operator } = headgate.keys
  const team = await api(headgate, 'POST', '/api/teams', operator, { name: 'A team', tier })
  const { token } = team.data
  const networks = ['ETH_MAINNET']
  const app = await api(headgate, 'POST', '/api/apps', token, { name: 'An app', networks })
  return { token, key: app.data.key as string }
}

/** The statuses of so many calls of 20 CU, one after the other. */
async function statusesOf({ url }: HeadgateProcess, key: string, calls: number) {
  const statuses: number[] = []
  for (let id = 1; id <= calls; id++) {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getBalance', params: [id] })
    const answer = await fetch(`${url}/eth-mainnet/v2/${key}`, { method: 'POST', body })
    statuses.push(answer.status)
  }
  return statuses
}
