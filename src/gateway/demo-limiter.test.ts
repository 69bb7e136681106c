import { describe, expect, test } from 'bun:test'
import { testClock } from '../../tests/support/basics/test-clock.ts'
import { openMethodRegistry } from '../core/rpc/method-registry.ts'
import { demoClient, openDemoLimiter } from './demo-limiter.ts'

const methods = openMethodRegistry('evm')
/** 10 CU: fifty of them empty ten seconds of 50 CU. */
const BLOCK_NUMBER = methods.find('eth_blockNumber')

describe('the demo key', () => {
  test('gives each address 50 CU a second, over ten seconds', () => {
    const { callsFrom } = limiter()
    expect(callsFrom('203.0.113.7')).toBe(50)
    expect(callsFrom('203.0.113.8')).toBe(50)
    expect(callsFrom('203.0.113.7')).toBe(0)
  })

  test('refuses with the words and the wait of a throughput limit', () => {
    const { demo, callsFrom } = limiter()
    callsFrom('203.0.113.7')
    expect(demo.admit('203.0.113.7', BLOCK_NUMBER)).toMatchObject({
      code: 'throughput_exceeded',
      facts: { retryAfterS: 1, rateLimit: { limit: 500, remaining: 0, resetS: 1 } },
    })
  })

  test('lets an address go on after its wait', () => {
    const { clock, callsFrom } = limiter()
    callsFrom('203.0.113.7')
    clock.skip(1000)
    expect(callsFrom('203.0.113.7')).toBe(5)
  })

  test('gives back what failed on our side, up to as much again', () => {
    const { demo } = limiter()
    let calls = 0
    while (demo.admit('203.0.113.7', BLOCK_NUMBER) === null && calls < 1000) {
      demo.refund('203.0.113.7', BLOCK_NUMBER)
      calls++
    }
    expect(calls).toBe(100)
  })

  test.each([
    ['the last half of an IPv6 address', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['zeros written out', '2001:db8:0:0:1:2:3:4', '2001:db8::9'],
    ['a network that ends in zeros', '2001:db8::', '2001:db8::5:6:7:8'],
    ['the loopback', '::1', '::2'],
  ])('does not tell clients apart by %s', (_title, one, other) => {
    const { callsFrom } = limiter()
    expect(callsFrom(one)).toBe(50)
    expect(callsFrom(other)).toBe(0)
  })

  test.each([
    ['networks of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['IPv4 addresses in IPv6 clothes', '::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['an address and none', '203.0.113.7', 'unknown'],
  ])('tells clients apart by %s', (_title, one, other) => {
    const { callsFrom } = limiter()
    expect(callsFrom(one)).toBe(50)
    expect(callsFrom(other)).toBe(50)
  })

  test('takes any text for an address', () => {
    const { demo } = limiter()
    for (const odd of ['', ':', '::', ':::::::::', 'fe80::1%eth0', '[::1]:80', 'x'.repeat(5000)]) {
      expect(demo.admit(demoClient(odd), BLOCK_NUMBER)).toBeNull()
    }
  })

  test('remembers who emptied a bucket while ten thousand others pass', () => {
    const { demo, callsFrom } = limiter()
    callsFrom('203.0.113.7')
    for (let at = 0; at < 10_000; at++) demo.admit(`198.51.${at >> 8}.${at & 255}`, BLOCK_NUMBER)
    expect(callsFrom('203.0.113.7')).toBe(0)
  })
})

function limiter() {
  const clock = testClock()
  const demo = openDemoLimiter(clock, 'http://gate.test', null)
  const callsFrom = (address: string) => {
    let calls = 0
    while (calls < 200 && demo.admit(demoClient(address), BLOCK_NUMBER) === null) calls++
    return calls
  }
  return { clock, demo, callsFrom }
}
