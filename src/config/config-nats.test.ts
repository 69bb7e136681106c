import { describe, expect, test } from 'bun:test'
import { ConfigFaults, loadSettings } from './config.ts'

const FORM = 'must be nats:// or tls:// addresses with commas between them'

/** What is said about these options in the environment. */
function faultsOf(options: Record<string, string>): string[] {
  const env = Object.entries(options).map(([name, value]) => [`HEADGATE_${name}`, value])
  const loaded = loadSettings({ env: Object.fromEntries(env) })
  return loaded instanceof ConfigFaults ? loaded.text.split('\n') : []
}

describe('the options of NATS', () => {
  test.each([
    ['', []],
    ['nats://a', ['nats is only for database, which is not given: one process needs no hints']],
    ['http://a', [`nats ${FORM}`]],
    ['nats://a,b:4222', [`nats ${FORM}`]],
    ['nats://a,', [`nats ${FORM}`]],
    ['nats://a:0', ['nats must have ports from 1 to 65535']],
    ['nats://a/b', ['nats must have nothing after the port of an address']],
    [`nats://${'a,nats://a'.repeat(500)}`, ['nats must have at most 4096 characters']],
  ])('nats: %s', (nats, faults) => {
    expect(faultsOf({ NATS: nats })).toEqual(faults.map((said) => `HEADGATE_NATS: ${said}`))
  })

  test('files for NATS are nothing without NATS', () => {
    expect(faultsOf({ NATS_CREDENTIALS: 'user.creds', NATS_CA: 'ca.pem' })).toEqual([
      'HEADGATE_NATS_CREDENTIALS: natsCredentials is only for nats, which is not given',
      'HEADGATE_NATS_CA: natsCa is only for nats, which is not given',
    ])
  })

  test('credentials are given in one way', () => {
    const both = { NATS: 'nats://a,nats://me:it@b', NATS_CREDENTIALS: 'user.creds' }
    expect(faultsOf(both)).toEqual([
      'HEADGATE_NATS_CREDENTIALS: natsCredentials cannot be used: nats has credentials of its own',
    ])
  })

  test.each([
    'nats://user:hunter2@a',
    'nats://user:hunter2@a:0,tls://hunter2@b',
    'nats://user:hunter2%@a',
    'hunter2',
    'http://user:hunter2@a',
  ])('what is said about %s holds no password', (nats) => {
    const said = faultsOf({ NATS: nats })
    expect(said).toHaveLength(1)
    expect(said.join()).not.toContain('hunter2')
  })
})
