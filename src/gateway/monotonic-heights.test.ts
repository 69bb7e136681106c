import { describe, expect, test } from 'bun:test'
import { settled, type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { openMachineSignals } from '../ports/driver-parts/machine-signals.ts'
import type { Signals } from '../ports/signals.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { openMonotonicHeights } from './monotonic-heights.ts'

const hex = (height: number) => `"0x${height.toString(16)}"`

describe('eth_blockNumber', () => {
  test('goes up with the chain and never back', () => {
    const { ask } = heights({ headNumber: 1000, witnesses: 2 })
    expect([998, 1000, 999, 997, 1001, 1000].map((said) => ask(said))).toEqual([
      998, 1000, 1000, 1000, 1001, 1001,
    ])
  })

  test('is kept apart by network', () => {
    const { ask } = heights({ headNumber: 1000, witnesses: 2 })
    expect(ask(1000, 'ETH')).toBe(1000)
    expect(ask(990, 'BASE')).toBe(990)
    expect(ask(990, 'ETH')).toBe(1000)
  })

  test('is as high in one process as another has shown it', async () => {
    const signals = openMachineSignals()
    const given = { headNumber: 1000, witnesses: 2, signals }
    const [one, other] = [heights(given), heights(given)]
    expect(one.ask(1000)).toBe(1000)
    await settled()
    expect(other.ask(990)).toBe(1000)
  })

  test('cannot be lifted by a single node that makes heights up', () => {
    const { ask } = heights({ headNumber: 1000, witnesses: 2 })
    expect(ask(9_000_000)).toBe(1000)
    expect(ask(1016)).toBe(1000)
    expect(ask(1001)).toBe(1001)
  })

  test('follows a node that is ahead by what the chain can have made meanwhile', () => {
    const { ask, clock } = heights({ headNumber: 1000, witnesses: 2 })
    expect(ask(1006)).toBe(1000)
    clock.skip(48_000)
    expect(ask(1006)).toBe(1006)
    clock.skip(3_000_000)
    expect(ask(1017)).toBe(1006)
  })

  test('follows the only node that is not excluded', () => {
    const { ask } = heights({ headNumber: 1000, witnesses: 2, excluded: 1 })
    expect(ask(1500)).toBe(1500)
  })

  test('follows a single node, whose word is all there is', () => {
    const { ask } = heights({ headNumber: 1000, witnesses: 1 })
    expect(ask(1500)).toBe(1500)
  })

  test('follows any node while no head is known', () => {
    const { ask } = heights({ headNumber: null, witnesses: 2 })
    expect(ask(1500)).toBe(1500)
  })

  test('starts over with a chain that was restarted', () => {
    const { ask, clock } = heights({ headNumber: 1000, witnesses: 1 })
    ask(1000)
    clock.skip(3_599_000)
    expect(ask(5)).toBe(1000)
    clock.skip(1_000)
    expect(ask(5)).toBe(5)
  })

  test('goes back with the chain of local development, once no node is as high any more', () => {
    const { ask, upstreams } = heights({ headNumber: 1000, witnesses: 2, isLocal: true })
    for (const upstream of upstreams) upstream.head.number = 1000
    expect(ask(1000)).toBe(1000)
    const [first, second] = upstreams
    if (first) first.head.number = 5
    expect(ask(5)).toBe(1000)
    if (second) second.head.number = 5
    expect(ask(5)).toBe(5)
    expect(ask(4)).toBe(5)
  })

  test.each(['null', '"latest"', '12', '{"number":"0x5"}', '"0x"', `"0x${'f'.repeat(40)}"`])(
    'leaves alone what is no height: %s',
    (text) => {
      const { steady } = heights({ headNumber: 1000, witnesses: 2 })
      expect(steady('ETH', text)).toBe(text)
    },
  )

  test('keeps the bytes of a height that needs no change', () => {
    const { steady } = heights({ headNumber: 0x3e8, witnesses: 2 })
    expect(steady('ETH', '"0x3E8"')).toBe('"0x3E8"')
  })
})

type Given = {
  headNumber: number | null
  witnesses: number
  excluded?: number
  isLocal?: boolean
  signals?: Signals
}

function heights(given: Given) {
  const { headNumber, witnesses, excluded = 0, isLocal = false } = given
  const { signals = openMachineSignals() } = given
  const clock: TestClock = testClock()
  const heights = openMonotonicHeights(testWorld({ clock, signals }))
  const head = headNumber === null ? null : { number: headNumber, hash: '0x', finalized: null }
  const upstreams = Array.from({ length: witnesses }, () => ({ head: { number: 1 } }))
  const stateOf = new Map(upstreams.map((one, at) => [one, at < excluded ? 'excluded' : 'used']))
  const times = { blockTimeMs: 12_000, headPollMs: 4_000 }
  const selection = { head, upstreams, stateOf, clock, headMovedAtMs: 0, network: times }
  const steady = (network: string, text: string) => {
    const made = { network: { id: network, isLocal }, pool: { selection }, signals }
    const service = made as unknown as NetworkService
    void heights.share(service, { kind: 'result', text })
    return heights.raise(service, text)
  }
  const ask = (said: number, network = 'ETH') => Number(JSON.parse(steady(network, hex(said))))
  return { clock, steady, ask, upstreams }
}
