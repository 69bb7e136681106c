import { describe, expect, test } from 'bun:test'
import { ConfigFaults, loadSettings, type Settings } from './config.ts'

const SECRET = 'ab'.repeat(32)
const GOOD = 'postgres://me:hunter2@db.example:5433/headgate'

function load(options: Record<string, string>): Settings | ConfigFaults {
  const env = Object.entries({ DATABASE: GOOD, SECRET, ...options })
  return loadSettings({
    env: Object.fromEntries(env.map(([name, value]) => [`HEADGATE_${name}`, value])),
  })
}

function faultsOf(options: Record<string, string>): string[] {
  const loaded = load(options)
  return loaded instanceof ConfigFaults ? loaded.text.split('\n') : []
}

function settingsOf(options: Record<string, string>): Settings {
  const loaded = load(options)
  if (loaded instanceof ConfigFaults) throw new Error(loaded.text)
  return loaded
}

const MODES = 'disable, prefer, require, verify-ca, verify-full'

describe('the options of PostgreSQL', () => {
  test.each([
    GOOD,
    'postgresql://db/headgate',
    'postgres://me:p%25%40@[::1]:5432/headgate',
    'postgres://me:hunter2@a:5432,b,[::1]:5433/headgate?sslmode=require',
    ...MODES.split(', ').map((mode) => `${GOOD}?sslmode=${mode}`),
    `${GOOD}?sslmode=verify-full&sslrootcert=/etc/ca.pem`,
  ])('%s is taken', (address) => {
    expect(settingsOf({ DATABASE: address }).database).toBe(address)
    const directly = { POSTGRES_DIRECT_URL: address, POSTGRES_TRANSACTION_POOLER: 'true' }
    expect(settingsOf(directly).postgres).toEqual({
      connectionsMax: 10,
      transactionPooler: true,
      directUrl: address,
    })
  })

  test.each([
    ['mysql://me:hunter2@db/headgate', 'must be a postgres:// address'],
    ['postgres://me:hunter2@db:99999/headgate', 'must be a postgres address'],
    ['postgres://me:hunter2@', 'must be a postgres address'],
    ['postgres:///headgate', 'must name a host, or several with commas between them'],
    ['postgres://me:hunter2@a,,b/headgate', 'must be a postgres address'],
    ['postgres://me:hunter2@a,b:99999/headgate', 'must be a postgres address'],
    [`postgres://me:hunter2@${'a,'.repeat(16)}a/headgate`, 'must name at most 16 hosts'],
    ['postgres://me:hunter2@db', 'must name a database after the host'],
    ['postgres://me:hunter2@db/', 'must name a database after the host'],
    ['postgres://me:hunter2%@db/headgate', 'must have a user and password with each % written'],
    ['postgres://me:hunter2@db/headgate?sslmode=verify_full', `must have one of ${MODES} as`],
    ['postgres://me:hunter2@db/headgate?sslmode=', `must have one of ${MODES} as`],
    [`postgres://me:hunter2@db/${'x'.repeat(5000)}`, 'must have at most 4096 characters'],
  ])('%s is refused, and not repeated', (address, fault) => {
    for (const [name, path] of [
      ['DATABASE', 'database'],
      ['POSTGRES_DIRECT_URL', 'postgres.directUrl'],
    ] as const) {
      const said = faultsOf({ [name]: address })
      expect(said).toEqual([expect.stringContaining(`HEADGATE_${name}: ${path} ${fault}`)])
      expect(said.join()).not.toContain('hunter2')
    }
  })

  test('a database needs a secret, as all processes read what each has sealed', () => {
    expect(faultsOf({ SECRET: '' })).toEqual([
      'configuration: secret is required with database, and must be the same in every process',
    ])
  })

  test.each(['1', '1001', 'many'])('connectionsMax does not take %s', (count) => {
    expect(faultsOf({ POSTGRES_CONNECTIONS_MAX: count })).toHaveLength(1)
  })

  test('NATS servers beside a database are taken apart', () => {
    const { nats } = settingsOf({ NATS: 'nats://me:it@a,tls://b:4223', NATS_CA: 'ca.pem' })
    expect(nats).toMatchObject({ caFile: 'ca.pem', servers: [{ host: 'a' }, { port: 4223 }] })
    expect(settingsOf({}).nats).toBeNull()
  })
})
