import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { ConfigFaults, loadSettings, type Settings } from '../config/config.ts'
import type { Database } from '../ports/database.ts'
import { insertTeam } from '../tables/accounts/teams.ts'
import type { NetworkSet } from './networks/network-set.ts'
import { reload } from './reload.ts'

let database: Database
let told: number

beforeEach(async () => {
  database = await freshStore()
  told = 0
})

afterEach(() => database.close())

test('limits change in the very objects that everybody holds', async () => {
  const inForce = settingsOf({})
  const { webhooks, programAccounts, tiers } = inForce
  const env = {
    HEADGATE_WEBHOOKS_TIMEOUT_MS: '700',
    HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '1,2',
    HEADGATE_PROGRAM_ACCOUNTS_SCANS_MAX: '9',
    HEADGATE_TIERS: '{"gold":{"monthlyCu":7,"cuPerSecond":null}}',
    HEADGATE_DEMO_KEY: 'false',
  }
  const { faults, needsRestart } = await reload(running(inForce), settingsOf(env))
  expect({ faults, needsRestart, told }).toEqual({ faults: [], needsRestart: [], told: 1 })
  expect(webhooks).toMatchObject({ timeoutMs: 700, retryDelaysMs: [1, 2] })
  expect(programAccounts.scansMax).toBe(9)
  expect(inForce.demoKey).toBe(false)
  expect(tiers.get('gold')?.monthlyCu).toBe(7)
  expect([...tiers.keys()].sort()).toEqual(['enterprise', 'free', 'gold', 'growth'])
})

test('what needs a restart is named and left, each time', async () => {
  const inForce = settingsOf({})
  const env = {
    HEADGATE_LISTEN: '127.0.0.1:1',
    HEADGATE_SECRET: 'ab'.repeat(32),
    HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'false',
    HEADGATE_DEVNET_BLOCK_TIME_MS: '10',
  }
  const named = ['devnet.blockTimeMs', 'listen', 'secret', 'webhooks.allowPrivateDestinations']
  for (let round = 0; round < 2; round++) {
    expect((await reload(running(inForce), settingsOf(env))).needsRestart).toEqual(named)
    expect(inForce.listen.port).toBe(8080)
    expect(inForce.webhooks.allowPrivateDestinations).toBe(true)
  }
})

test('a public address counts as changed only where it is given', async () => {
  const other = settingsOf({ HEADGATE_PUBLIC_URL: 'https://gate.example' })
  const { needsRestart } = await reload(running(settingsOf({})), other)
  expect(needsRestart).toEqual(['domain', 'publicUrl'])
})

test('faults leave everything as it was', async () => {
  const inForce = settingsOf({ HEADGATE_TIERS: '{"gold":{"monthlyCu":7,"cuPerSecond":null}}' })
  await insertTeam(database, {
    id: 'team_1',
    name: 'A',
    tier: 'gold',
    autoscaling: false,
    createdAtMs: 0,
  })
  const next = settingsOf({ HEADGATE_TIERS_FREE_MONTHLY_CU: '1' })
  const why =
    'configuration: tiers.gold is missing, and 1 team is on it; move them to another tier first'
  expect((await reload(running(inForce), next)).faults).toEqual([why])
  const kept = settingsOf({ HEADGATE_TIERS: '{"gold":{"monthlyCu":1,"cuPerSecond":null}}' })
  const faulty = { ...running(inForce), networks: networksSaying(['wrong chain']) }
  expect((await reload(faulty, kept)).faults).toEqual(['wrong chain'])
  expect(inForce.tiers.get('gold')?.monthlyCu).toBe(7)
  expect(inForce.tiers.get('free')?.monthlyCu).toBe(30_000_000)
  expect(told).toBe(0)
})

function settingsOf(env: Record<string, string>): Settings {
  const settings = loadSettings({ env })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  return settings
}

function running(settings: Settings) {
  const reloaded = async () => {
    told++
  }
  return { settings, networks: networksSaying([]), drivers: { database }, reloaded }
}

function networksSaying(faults: string[]): NetworkSet {
  return { reload: async () => faults } as unknown as NetworkSet
}
