import { describe, expect, test } from 'bun:test'
import { ConfigFaults, loadSettings } from './config.ts'

const A = { name: 'a', url: 'http://a.test' }
const B = { name: 'b', url: 'http://b.test' }
const C = { name: 'c', url: 'http://c.test' }
const RELAY = { name: 'relay', url: 'http://relay.test', sendsOnly: true }

function faultsOf(network: Record<string, unknown>): string {
  const usual = { id: 'ETH_MAINNET', kind: 'evm', chainId: 1, upstreams: [A, B, C, RELAY] }
  const networks = JSON.stringify([{ ...usual, ...network }])
  const settings = loadSettings({ env: { HEADGATE_NETWORKS: networks } })
  return settings instanceof ConfigFaults ? settings.text : 'none'
}

describe('a network that routes like this is refused, by the name of the field', () => {
  test.each([
    [
      'nobody to read from',
      { upstreams: [RELAY] },
      'networks[0].upstreams must have one that is not sendsOnly',
    ],
    [
      'a relay with a socket',
      { upstreams: [A, { ...RELAY, ws: 'ws://relay.test' }] },
      'networks[0].upstreams[1].ws is of no use with sendsOnly',
    ],
    [
      'a quorum of more than there are',
      { quorum: { methods: ['eth_call'], of: 4, agree: 3 } },
      'networks[0].quorum.of is more than the 3 upstreams for reads',
    ],
    [
      'more that agree than are asked',
      { quorum: { methods: ['eth_call'], of: 2, agree: 3 } },
      'networks[0].quorum.agree must be at most of, which is 2',
    ],
    [
      'a minority',
      { quorum: { methods: ['*'], of: 4, agree: 2 }, upstreams: [A, B, C, { ...A, name: 'd' }] },
      'networks[0].quorum.agree must be more than half of 4',
    ],
    [
      'a vote on the height',
      { quorum: { methods: ['eth_call', 'eth_blockNumber'] } },
      'networks[0].quorum.methods[1] must not have eth_blockNumber',
    ],
    [
      'a vote on a send',
      { quorum: { methods: ['eth_sendRawTransaction'] } },
      'networks[0].quorum.methods[0] must not have eth_sendRawTransaction',
    ],
    ['no methods', { quorum: { of: 3 } }, 'networks[0].quorum.methods'],
    ['a wrong method', { quorum: { methods: ['eth call'] } }, 'networks[0].quorum.methods[0]'],
    ['no number', { broadcast: 0 }, 'networks[0].broadcast'],
    ['too many', { broadcast: 17 }, 'networks[0].broadcast'],
    [
      'sends of Solana to several',
      { kind: 'solana', chainId: undefined, broadcast: 2 },
      'networks[0].broadcast is only for evm networks',
    ],
  ])('%s', (_title, network, said) => {
    expect(faultsOf(network)).toContain(said)
  })
})

test.each([
  ['a quorum of the usual size', { quorum: { methods: ['eth_*', 'debug_traceCall'] } }],
  ['a broadcast', { broadcast: 3 }],
  ['a relay of Solana', { kind: 'solana', chainId: undefined }],
])('taken: %s', (_title, network) => {
  expect(faultsOf(network)).toBe('none')
})
