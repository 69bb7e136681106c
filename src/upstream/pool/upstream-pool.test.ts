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
import { networkReport } from '../answers/network-report.ts'
import { type OpenNetwork, openNetwork } from '../answers/open-network.ts'
import type { PoolAnswer } from './routed-request.ts'
import { requestAny } from './upstream-pool.ts'

const SECOND = 1000
const usual = { traces: false, concurrencyMax: 4, batchMax: 0, timeoutMs: 10 * SECOND }

const NETWORK: Network = {
  id: 'ETH_MAINNET',
  slug: 'eth-mainnet',
  kind: 'evm',
  chainId: 1,
  blockTimeMs: 12 * SECOND,
  headPollMs: 4 * SECOND,
  headLagMsMax: 30 * SECOND,
  finalityDepth: 10,
  upstreams: [
    { ...usual, name: 'first', url: 'http://first/', priority: 0 },
    { ...usual, name: 'second', url: 'http://second/', priority: 1 },
  ],
}

let clock: TestClock
let outbound: ScriptedOutbound
let network: OpenNetwork
/** Upstreams that answer nothing at all, polls included. */
let silent: Set<string>
let chainId: Record<string, string>

beforeEach(async () => {
  clock = testClock()
  outbound = scriptedOutbound()
  silent = new Set()
  chainId = {}
  outbound.auto = answersPolls
  const drivers = {
    clock,
    outbound,
    signals: openMachineSignals(),
    sockets: scriptedSockets(),
    telemetry: quietTelemetry(),
  }
  network = openNetwork(drivers, NETWORK, {
    prices: {},
    cacheBytesMax: 0,
    latestMaxAgeMs: 0,
  })
  await network.ready
  await clock.advance(10)
})

afterEach(() => network.stop())

describe('a light call', () => {
  test('goes to the next node two seconds after the first fell silent, and the first rests', async () => {
    silent.add('http://first/')
    const asked = ask('eth_getBalance')
    await clock.advance(1.9 * SECOND)
    expect(urls('eth_getBalance')).toEqual(['http://first/'])
    await clock.advance(0.2 * SECOND)
    expect(urls('eth_getBalance')).toEqual(['http://first/', 'http://second/'])
    expect(report('first')).toMatchObject({ state: 'excluded', last_fault: 'hangs' })
    waiting('eth_getBalance', 'second').result('0x1')
    expect((await asked).upstream).toBe('second')
  })

  test('is answered by the first after all when that is quicker', async () => {
    const asked = ask('eth_getBalance')
    await clock.advance(2.1 * SECOND)
    waiting('eth_getBalance', 'first').result('0x1')
    expect((await asked).upstream).toBe('first')
    waiting('eth_getBalance', 'second').result('0x2')
    await clock.advance(0)
    expect(report('second').in_flight).toBe(0)
  })

  test('is given up after its patience, and the caller is told that it took too long', async () => {
    const asked = ask('eth_getBalance').catch((failure) => failure.code)
    await clock.advance(25 * SECOND)
    expect(await asked).toBe('upstream_timed_out')
    for (const call of outbound.calls.filter(({ method }) => method === 'eth_getBalance')) {
      expect(call.cancelled).toBe(true)
    }
    expect([report('first').in_flight, report('second').in_flight]).toEqual([0, 0])
  })
})

describe('a heavy call', () => {
  test('may take half a minute of a node that answers otherwise', async () => {
    const asked = ask('eth_getLogs')
    await clock.advance(29 * SECOND)
    expect(urls('eth_getLogs')).toEqual(['http://first/'])
    expect(report('first')).toMatchObject({ state: 'used', last_fault: null })
    waiting('eth_getLogs', 'first').result([])
    expect((await asked).upstream).toBe('first')
  })

  test('goes to the next node when the first answers nothing else either', async () => {
    silent.add('http://first/')
    const asked = ask('eth_getLogs')
    await clock.advance(6.1 * SECOND)
    expect(urls('eth_getLogs')).toEqual(['http://first/', 'http://second/'])
    waiting('eth_getLogs', 'second').result([])
    expect((await asked).upstream).toBe('second')
  })
})

describe('a request as a whole', () => {
  test('ends within 45 seconds, however many nodes are left', async () => {
    const asked = ask('eth_getLogs').catch((failure) => failure.code)
    await clock.advance(45.1 * SECOND)
    expect(await asked).toBe('upstream_timed_out')
  })

  test('waits its turn when every place at every node is taken', async () => {
    const asked = Array.from({ length: 9 }, () => ask('eth_getBalance'))
    expect(urls('eth_getBalance').length).toBe(8)
    outbound.open('eth_getBalance')[0]?.result('0x1')
    await asked[0]
    expect(urls('eth_getBalance').length).toBe(9)
    for (const call of outbound.open('eth_getBalance')) call.result('0x2')
    expect(await Promise.all(asked)).toHaveLength(9)
  })

  test('gives up waiting when no place becomes free for ten seconds', async () => {
    const asked = Array.from({ length: 9 }, () => ask('eth_getLogs').catch(({ code }) => code))
    await clock.advance(11 * SECOND)
    expect(await asked[8]).toBe('upstream_timed_out')
  })
})

describe('a stream', () => {
  test('is broken off when it brings nothing for half a minute', async () => {
    const stream = await streamed()
    const reader = stream.getReader()
    await reader.read()
    const next = reader.read().then(
      () => 'came',
      () => 'broke',
    )
    await clock.advance(29 * SECOND)
    expect(report('first').in_flight).toBe(1)
    await clock.advance(2 * SECOND)
    expect(outbound.calls.find(({ method }) => method === 'eth_getLogs')?.cancelled).toBe(true)
    source.error(new Error('cancelled'))
    expect(await next).toBe('broke')
    expect(report('first').in_flight).toBe(0)
  })

  test('may be read as slowly as a client likes', async () => {
    const stream = await streamed()
    const reader = stream.getReader()
    await reader.read()
    source.enqueue(new Uint8Array(1024))
    await clock.advance(0)
    await clock.advance(600 * SECOND)
    expect(outbound.calls.find(({ method }) => method === 'eth_getLogs')?.cancelled).toBe(false)
    await reader.cancel()
    expect(report('first').in_flight).toBe(0)
  })
})

describe('the chain of an upstream', () => {
  test('is checked again every minute', async () => {
    chainId['http://first/'] = '0x89'
    await clock.advance(50 * SECOND)
    expect(report('first').state).toBe('used')
    await clock.advance(20 * SECOND)
    expect(report('first')).toMatchObject({ state: 'excluded', reason: 'on another chain' })
    const asked = ask('eth_getBalance')
    expect(urls('eth_getBalance')).toEqual(['http://second/'])
    waiting('eth_getBalance', 'second').result('0x1')
    await asked
  })

  test('is never asked anything while it is another, not even as the last resort', async () => {
    chainId = { 'http://first/': '0x89', 'http://second/': '0x89' }
    await clock.advance(70 * SECOND)
    const asked = ask('eth_getBalance').catch(({ code }) => code)
    expect(await asked).toBe('upstream_unreachable')
  })

  test('is checked first when an upstream comes back', async () => {
    silent.add('http://first/')
    await clock.advance(12 * SECOND)
    chainId['http://first/'] = '0x89'
    silent.clear()
    await clock.advance(10 * SECOND)
    expect(report('first')).toMatchObject({ reason: 'on another chain' })
  })
})

describe('an upstream', () => {
  test('that says nothing any more is not used, though nobody asks for anything', async () => {
    silent.add('http://first/')
    await clock.advance(40 * SECOND)
    expect(report('first').state).toBe('excluded')
    expect(report('second')).toMatchObject({ state: 'used', reason: 'healthy' })
    silent.clear()
    await clock.advance(60 * SECOND)
    expect(report('first')).toMatchObject({ state: 'used', reason: 'healthy' })
  })
})

describe('a name that callers made up', () => {
  test('is not remembered, so that long ones cannot fill the memory', async () => {
    const made = 'x'.repeat(100_000)
    const asked = ask(made)
    waiting(made, 'first').error(-32601, 'no such method')
    await clock.advance(0)
    waiting(made, 'second').error(-32601, 'no such method')
    expect((await asked).reply).toMatchObject({ kind: 'error', code: -32601 })
    const { selection, hedging: hedges } = network.pool
    for (const upstream of selection.upstreams) expect(upstream.unsupported.size).toBe(0)
    expect([...hedges.latencies.keys()]).not.toContain(made)
  })
})

let source: ReadableStreamDefaultController<Uint8Array>

/** A stream of a big answer, begun. */
async function streamed(): Promise<ReadableStream<Uint8Array>> {
  const asked = ask('eth_getLogs')
  const call = waiting('eth_getLogs', 'first')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller
      const begin = `{"jsonrpc":"2.0","id":${call.id},"result":["${'x'.repeat(300_000)}`
      controller.enqueue(new TextEncoder().encode(begin))
    },
  })
  call.stream(body)
  const { reply } = await asked
  if (reply.kind !== 'stream') throw new Error('no stream')
  return reply.stream
}

function ask(method: string): Promise<PoolAnswer> {
  const of = network.methods.find(method)
  const call = { method, of, params: [], paramsText: '[]', atHead: true, heightMin: null }
  return requestAny(network.pool, call)
}

function urls(method: string): string[] {
  return outbound.calls.filter((call) => call.method === method).map(({ url }) => url)
}

function waiting(method: string, name: string): ScriptedCall {
  const call = outbound.open(method).find(({ url }) => url === `http://${name}/`)
  if (!call) throw new Error(`${name} was not asked for ${method}`)
  return call
}

function report(name: string) {
  const found = networkReport(network).upstreams.find((upstream) => upstream.name === name)
  if (!found) throw new Error(`no upstream ${name}`)
  return found
}

function answersPolls(call: ScriptedCall): boolean {
  if (silent.has(call.url)) return false
  const height = 1000 + Math.floor(clock.monotonicMs() / (12 * SECOND))
  const timestamp = `0x${Math.floor(clock.nowMs() / 1000).toString(16)}`
  if (call.method === 'eth_chainId') call.result(chainId[call.url] ?? '0x1')
  else if (call.method === 'eth_getBlockByNumber') {
    call.result({ number: `0x${height.toString(16)}`, hash: `0x${height}`, timestamp })
  } else return false
  return true
}
