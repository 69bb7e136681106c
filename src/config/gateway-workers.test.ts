import { describe, expect, test } from 'bun:test'
import { withDefaults } from '../core/schema/with-defaults.ts'
import { ConfigFaults, loadSettings, workersOf } from './config.ts'
import { checkValues } from './config-checks.ts'
import { CONFIG_SCHEMA } from './config-schema.ts'

const NETWORKS = JSON.stringify([
  {
    id: 'ETH_MAINNET',
    kind: 'evm',
    chainId: 1,
    upstreams: [{ name: 'a', url: 'http://10.0.0.1' }],
  },
])

describe('gateway.workers', () => {
  test.each([
    [1, 'linux', 1],
    [2, 'linux', 1],
    [3, 'linux', 2],
    [8, 'linux', 7],
    [8, 'darwin', 1],
  ])('auto with %d cores on %s is %d', (cores, platform, workers) => {
    expect(workersOf('auto', cores, platform)).toBe(workers)
  })

  test('is the number that is asked for', () => {
    expect(workers({ HEADGATE_NETWORKS: NETWORKS, HEADGATE_GATEWAY_WORKERS: '4' })).toBe(4)
  })

  test('is 1 in local development, unless asked for more', () => {
    expect(workers({})).toBe(1)
    expect(workers({ HEADGATE_GATEWAY_WORKERS: '2' })).toBe(2)
  })

  test.each(['0', '-1', '257', '1.5', 'all', 'AUTO', 'true', '[2]', '1e2'])(
    'does not take %s',
    (text) => {
      const env = { HEADGATE_NETWORKS: NETWORKS, HEADGATE_GATEWAY_WORKERS: text }
      const settings = loadSettings({ env })
      if (!(settings instanceof ConfigFaults)) throw new Error('it took it')
      expect(settings.text).toStartWith('HEADGATE_GATEWAY_WORKERS: gateway.workers must be ')
    },
  )

  test('above 1 is refused where a port cannot be shared', () => {
    const values = (workers: number | 'auto') =>
      checkValues(withDefaults(CONFIG_SCHEMA, { gateway: { workers } }), [], 'darwin')
    expect(values(2)).toEqual([
      {
        path: ['gateway', 'workers'],
        message: 'gateway.workers must be 1 or auto: only Linux shares a port evenly',
      },
    ])
    expect([...values(1), ...values('auto')]).toEqual([])
  })
})

function workers(env: Record<string, string>): number {
  const settings = loadSettings({ env })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  return settings.gateway.workers
}
