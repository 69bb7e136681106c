import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import {
  type ScriptedCall,
  type ScriptedOutbound,
  scriptedOutbound,
} from '../../../tests/support/nodes/scripted-outbound.ts'
import { scriptedSockets } from '../../../tests/support/nodes/scripted-sockets.ts'
import type { Network } from '../../core/network.ts'
import { openMachineSignals } from '../../ports/driver-parts/machine-signals.ts'
import type { Signals } from '../../ports/signals.ts'
import { type OpenNetwork, openNetwork } from '../answers/open-network.ts'
import { noteThrottled } from '../node/upstream.ts'

const POLL_MS = 4000

const NODE = { name: 'node', url: 'http://node/', priority: 0, concurrencyMax: 64 }
const NETWORK: Network = {
  id: 'ETH_MAINNET',
  slug: 'eth-mainnet',
  kind: 'evm',
  chainId: 1,
  verify: 'off',
  blockTimeMs: 12_000,
  headPollMs: POLL_MS,
  headLagMsMax: 30_000,
  finalityDepth: 10,
  upstreams: [{ ...NODE, traces: false, batchMax: 0, timeoutMs: 10_000 }],
}

type Process = { outbound: ScriptedOutbound; network: OpenNetwork; polls(): number }

let clock: TestClock
let signals: Signals
let height: number
let open: Process[]

beforeEach(() => {
  clock = testClock()
  signals = openMachineSignals()
  height = 1000
  open = []
})

afterEach(async () => {
  for (const { network } of open) network.stop()
  await clock.advance(200)
  expect(clock.timers()).toBe(0)
})

describe('a process that does not watch upstreams', () => {
  test('knows what the one that does observes, and polls nothing', async () => {
    const watcher = start(false)
    await clock.advance(POLL_MS)
    const observer = start(true)
    await clock.advance(10)
    await clock.advance(10)
    expect(headOf(observer)).toMatchObject({ number: 1000 })
    height = 1001
    for (let round = 0; round < 20; round++) await clock.advance(POLL_MS)
    expect(headOf(observer)).toMatchObject({ number: 1001 })
    expect(watcher.polls()).toBeGreaterThan(20)
    expect(observer.polls()).toBe(0)
    expect(observer.network.pool.selection.upstreams[0]?.chain).toBe('right')
  })

  test('polls by itself while nobody watches, and no longer', async () => {
    const observer = start(true)
    await clock.advance(3 * POLL_MS)
    expect(observer.polls()).toBe(0)
    await clock.advance(500)
    expect(observer.polls()).toBe(1)
    expect(headOf(observer)).toMatchObject({ number: 1000 })

    const watcher = start(false)
    await clock.advance(10)
    const polled = observer.polls()
    for (let round = 0; round < 5; round++) await clock.advance(POLL_MS)
    expect(observer.polls()).toBe(polled)

    watcher.network.stop()
    for (let round = 0; round < 5; round++) await clock.advance(POLL_MS)
    expect(observer.polls()).toBeGreaterThan(polled)
  })

  test('is not alone where upstreams may not be polled for a while', async () => {
    const watcher = start(false)
    const observer = start(true)
    await clock.advance(10)
    watcher.outbound.auto = (call) => {
      call.status(429, { 'retry-after': '600' })
      return true
    }
    for (let round = 0; round < 20; round++) await clock.advance(POLL_MS)
    expect(observer.polls()).toBe(0)
  })

  test('has the watcher poll when it has seen a new block', async () => {
    const watcher = start(false)
    const observer = start(true)
    await clock.advance(1000)
    const polled = watcher.polls()
    observer.network.pollNow()
    await clock.advance(10)
    expect(watcher.polls()).toBe(polled + 1)
  })

  test('spares an upstream that asked another process for fewer calls', async () => {
    const watcher = start(false)
    const observer = start(true)
    await clock.advance(10)
    const [there] = observer.network.pool.selection.upstreams
    const [here] = watcher.network.pool.selection.upstreams
    noteThrottled(there!, 30_000, clock.monotonicMs())
    await clock.advance(300)
    expect(here?.throttledUntilMs).toBeGreaterThan(clock.monotonicMs() + 29_000)
    const untilMs = there!.throttledUntilMs
    await clock.advance(10_000)
    // It comes back to nobody as a new one.
    expect(there?.throttledUntilMs).toBeLessThan(untilMs + 1000)
  })

  test('is not harmed by texts that are none', async () => {
    const observer = start(true)
    for (const text of ['', '{', 'null', '[null]', '[{"name":"node","chain":"right"}]']) {
      void signals.publish('observed ETH_MAINNET', text)
      void signals.publish('throttled ETH_MAINNET', text)
      void signals.publish('chain', text)
    }
    start(false)
    await clock.advance(10)
    await clock.advance(10)
    expect(headOf(observer)).toMatchObject({ number: 1000 })
  })
})

function start(isObserver: boolean): Process {
  const outbound = scriptedOutbound()
  outbound.auto = answerPolls
  const telemetry = quietTelemetry()
  const drivers = { clock, signals, outbound, sockets: scriptedSockets(), telemetry, isObserver }
  const settings = { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 }
  const network = openNetwork(drivers, NETWORK, settings)
  const polls = () => outbound.calls.filter(({ params }) => params[0] === 'latest').length
  const process = { outbound, network, polls }
  open.push(process)
  return process
}

function headOf({ network }: Process) {
  return network.pool.selection.head
}

function answerPolls(call: ScriptedCall): boolean {
  const timestamp = `0x${Math.floor(clock.nowMs() / 1000).toString(16)}`
  const number = `0x${height.toString(16)}`
  if (call.method === 'eth_chainId') call.result('0x1')
  else call.result({ number, hash: `0x${height}`, parentHash: `0x${height - 1}`, timestamp })
  return true
}
