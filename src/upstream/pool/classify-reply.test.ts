import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import type { ScriptedCall } from '../../../tests/support/nodes/scripted-outbound.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer } from './routed-request.ts'
import { requestAny } from './upstream-pool.ts'

type Say = (call: ScriptedCall) => void

const TIMES = 20
const BALANCE = ['0x00000000000000000000000000000000000000aa', 'latest']

let world: ScriptedNetwork
/** What each node says to calls; polls are answered as ever. */
let nodes: Record<string, Say>

beforeEach(async () => {
  world = await openScriptedNetwork([{ name: 'a' }, { name: 'b', priority: 1 }])
  const polls = world.outbound.auto
  world.outbound.auto = (call) => {
    if (polls(call)) return true
    nodes[new URL(call.url).hostname]?.(call)
    return true
  }
})

afterEach(() => world.network.stop())

const errs =
  (code: number, message: string): Say =>
  (call) =>
    call.error(code, message)
const status =
  (code: number): Say =>
  (call) =>
    call.status(code)
const answers: Say = (call) => call.result('0x1')
const silent: Say = () => {}

function ask(method: string, params: readonly unknown[]): Promise<PoolAnswer> {
  const of = world.network.methods.find(method)
  const paramsText = JSON.stringify(params)
  const call = { method, of, params, paramsText, atHead: true, heightMin: null, heavy: of.heavy }
  return requestAny(world.network.pool, call)
}

const stateOf = ({ breaker, throttledUntilMs, unsupported }: Upstream): object => ({
  breaker: breaker.state,
  throttled: throttledUntilMs > world.clock.monotonicMs(),
  unsupported: [...unsupported.keys()],
})

const UNHARMED = { breaker: 'closed', throttled: false, unsupported: [] }

describe('what a caller can make a node say or do takes it out for nobody', () => {
  test.each<[what: string, method: string, params: unknown[], say: Say]>([
    ['words of a rate limit', 'eth_getBalance', BALANCE, errs(-32000, 'rate limit exceeded')],
    ['words of a wrong key', 'eth_getBalance', BALANCE, errs(-32000, 'invalid project id')],
    ['an echo', 'eth_getBalance', ['quota'], errs(-32000, 'no such address: quota')],
    ['a bad param', 'eth_getBalance', ['quota'], errs(-32602, 'too many requests')],
    ['what is too wide', 'eth_getLogs', [{}], errs(-32602, 'range 5000 exceeds limit of 10')],
    ['a bad request', 'eth_getBalance', BALANCE, status(400)],
    ['what a firewall forbids', 'eth_getBalance', BALANCE, status(403)],
    ['what is not found', 'eth_getBalance', BALANCE, status(404)],
    ['what is too long', 'eth_getBalance', BALANCE, status(413)],
    ['a tracer that throws', 'debug_traceCall', [{}], errs(-32000, 'method x not supported')],
    ['a tracer that breaks', 'debug_traceCall', [{}], errs(-32603, 'internal error')],
    ['code that takes long', 'eth_call', [{}], errs(-32000, 'execution aborted (timeout = 5s)')],
    ['a made-up method', 'made_up', [], errs(-32601, 'no such method')],
  ])('%s', async (_what, method, params, say) => {
    nodes = { a: say, b: say }
    for (let time = 0; time < TIMES; time++) {
      await ask(method, [...params, time]).catch(() => {})
      await world.clock.advance(10)
    }
    for (const name of ['a', 'b']) {
      expect(stateOf(world.upstream(name))).toEqual(UNHARMED)
      expect(world.upstream(name).tally.errors).toBe(0)
    }
    expect(world.upstream('a').tally.calls).toBeGreaterThanOrEqual(TIMES)
  })

  test.each(['eth_call', 'eth_estimateGas', 'debug_traceTransaction', 'eth_getLogs'])(
    'a call of %s that is never answered, as long as polls are',
    async (method) => {
      nodes = { a: silent, b: silent }
      const asked = Array.from({ length: TIMES }, (_, at) => ask(method, [at]).catch(() => {}))
      for (let step = 0; step < 20; step++) await world.clock.advance(POLL_MS)
      await Promise.all(asked)
      for (const name of ['a', 'b']) expect(stateOf(world.upstream(name))).toEqual(UNHARMED)
      expect(world.upstream('a').tally.errors).toBe(0)
    },
  )

  test.each([
    ['debug_traceCall', -32603, 'internal error'],
    ['eth_call', -32000, 'execution aborted (timeout = 5s)'],
  ])('%s that another node has done: %d %s', async (method, code, message) => {
    nodes = { a: errs(code, message), b: answers }
    for (let time = 0; time < TIMES; time++) await ask(method, [time])
    expect(stateOf(world.upstream('a'))).toEqual(UNHARMED)
  })
})

describe('what a node says of itself still counts', () => {
  test.each<[what: string, method: string, say: Say, state: object]>([
    ['an error of the server', 'eth_getBalance', status(500), { breaker: 'open' }],
    ['silence to what is light', 'eth_getBalance', silent, { breaker: 'open' }],
    ['a limit, by status', 'eth_getBalance', status(429), { throttled: true }],
    ['a limit, by code', 'eth_getBalance', errs(-32005, 'limit exceeded'), { throttled: true }],
    ['an internal error', 'eth_getBalance', errs(-32603, 'boom'), { breaker: 'open' }],
    [
      'a missing method',
      'debug_getRawBlock',
      errs(-32601, 'no'),
      { unsupported: ['debug_getRawBlock'] },
    ],
    [
      'the like in words',
      'eth_getCode',
      errs(1, 'method not enabled'),
      { unsupported: ['eth_getCode'] },
    ],
  ])('%s', async (_what, method, say, state) => {
    nodes = { a: say, b: answers }
    const asked = Array.from({ length: TIMES }, (_, at) => ask(method, [at]))
    // Long enough for a light call to count as hung, not for a rest to be over.
    await world.clock.advance(say === silent ? 2100 : 100)
    for (const answer of await Promise.all(asked)) expect(answer.upstream).toBe('b')
    expect(stateOf(world.upstream('a'))).toMatchObject(state)
    expect(world.upstream('b').tally).toMatchObject({ calls: TIMES, errors: 0 })
    const { calls, errors, times } = world.upstream('a').tally
    const isFailure = !('unsupported' in state)
    // Whoever is silent has not failed before its time is up.
    if (say !== silent) expect([calls > 0, errors > 0]).toEqual([true, isFailure])
    expect(times.reduce((sum, one) => sum + one, 0)).toBe(isFailure ? 0 : calls)
  })
})
