import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings, type Settings } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'headgate-'))

function load(yaml: string): Settings | ConfigFaults {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, yaml)
  return loadSettings({ file, env: {} })
}

function settingsOf(loaded: Settings | ConfigFaults): Settings {
  if (loaded instanceof ConfigFaults) throw new Error(loaded.text)
  return loaded
}

function faultsOf(loaded: Settings | ConfigFaults): string {
  if (!(loaded instanceof ConfigFaults)) throw new Error('the configuration was accepted')
  return loaded.text
}

describe('a budget', () => {
  const upstream = (budget: string) =>
    `networks:\n  - id: ETH_MAINNET\n    upstreams:\n      - { name: a, url: "http://a", budget: ${budget} }\n`

  test('counts each call by its method, or by the table of a vendor', () => {
    const text = '{ creditsOf: alchemy, credits: { eth_call: 30 }, requestsPerSecond: 5 }'
    const [network] = settingsOf(load(upstream(text))).networks
    expect(network?.upstreams[0]?.budget).toMatchObject({
      account: 'ETH_MAINNET a',
      requestsPerSecond: 5,
      creditsPerMonth: null,
      credits: { default: 20, eth_call: 30, eth_getLogs: 60 },
    })
  })

  test.each<[budget: string, fault: string]>([
    ['{ requestsPerSecond: 0 }', 'budget.requestsPerSecond must be at least 1'],
    ['{ creditsPerMonth: 1.5 }', 'budget.creditsPerMonth must be a whole number'],
    ['{ credits: { eth_call: -1 } }', 'budget.credits.eth_call must be at least 0'],
    ['{ credits: { "eth call": 1 } }', 'named after a method, or default'],
    ['{ resetDay: 32 }', 'budget.resetDay must be at most 31'],
    ['{ creditsOf: acme }', 'budget.creditsOf must be'],
    ['{ credit: 1 }', 'budget.credit is not an option; did you mean credits?'],
  ])('%s is refused', (budget, fault) => {
    expect(faultsOf(load(upstream(budget)))).toContain(fault)
  })

  test('of one account is the same wherever it is used', () => {
    const yaml =
      upstream('{ account: v, creditsPerMonth: 5 }') +
      '      - { name: b, url: "http://b", budget: { account: v, creditsPerMonth: 6 } }\n'
    expect(faultsOf(load(yaml))).toContain(
      'headgate.yaml:5: networks[0].upstreams[1].budget must have the limits and the resetDay of ' +
        'networks[0].upstreams[0].budget, which has the same account',
    )
  })
})
