import { describe, expect, test } from 'bun:test'
import { terminalLog } from './terminal-log.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')

/** What the terminal shows of these events, without the time of day in front. */
function shown(...events: object[]): string[] {
  return show(terminalLog({ colour: false }), events)
}

function show(format: (jsonLines: string) => string, events: object[]): string[] {
  const lines = events.map((event) => JSON.stringify({ time: at(0), level: 'info', ...event }))
  const text = format(lines.map((line) => `${line}\n`).join(''))
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''))
}

const at = (ms: number) => new Date(NOON + ms).toISOString()

const CALL = {
  event: 'rpc',
  network: 'ETH_DEVNET',
  method: 'eth_call',
  status: 200,
  error: 0,
  ms: 1,
}

describe('the log in a terminal', () => {
  test('has one line for a block', () => {
    const block = {
      event: 'block',
      network: 'ETH_DEVNET',
      number: 12,
      hash: `0x${'ab'.repeat(32)}`,
      transactions: 1,
      deliveries: 2,
      read_ms: 1.4,
      run_ms: 0.2,
      commit_ms: 2.1,
    }
    expect(shown(block, { ...block, transactions: 0, deliveries: 0 })).toEqual([
      'block     ETH_DEVNET     12  0xababab…abab  1 transaction  2 deliveries  4 ms',
      'block     ETH_DEVNET     12  0xababab…abab  4 ms',
    ])
  })

  test('has one line for each attempt of a delivery', () => {
    const delivery = {
      event: 'delivery',
      webhook: 'wh_h38j6j7te81p5vz2',
      delivery: 'whevt_1',
      network: 'ETH_DEVNET',
      sequence_number: 1_000_000_000_003,
      attempt: 1,
      host: 'localhost:3000',
      result: 'delivered',
      status: 200,
      fault: null,
      ms: 3,
      bytes: 412,
    }
    const rest = 'localhost:3000  wh_h38j6j7te81p5vz2  #1000000000003  412 B  3 ms'
    expect(
      shown(
        delivery,
        { ...delivery, result: 'retry', status: 0, fault: 'timeout' },
        { ...delivery, result: 'give_up', status: 500, attempt: 7 },
      ),
    ).toEqual([
      `delivery  ETH_DEVNET     delivered  200  ${rest}`,
      `delivery  ETH_DEVNET     retry  timeout  ${rest}`,
      `delivery  ETH_DEVNET     failed (attempt 7)  500  ${rest}`,
    ])
  })

  test('shows calls that fail, and the reason of a problem', () => {
    expect(
      shown(
        { ...CALL, error: 3 },
        { ...CALL, status: 503, error: 503 },
        { event: 'api', call: 'createWebhook', status: 400, ms: 2 },
        { event: 'follower_error', level: 'warn', network: 'ETH_DEVNET', reason: 'no block' },
        { event: 'reload_refused', level: 'error', why: 'headgate.yaml:1: nope' },
        { event: 'head_socket', network: 'ETH_DEVNET', upstream: 'devnet', state: 'open' },
      ),
    ).toEqual([
      'call      ETH_DEVNET     eth_call  200 error 3  1 ms',
      'call      ETH_DEVNET     eth_call  503  1 ms',
      'api                      createWebhook  400  2 ms',
      'warning   ETH_DEVNET     follower error: no block',
      'error                    reload refused: headgate.yaml:1: nope',
      'info      ETH_DEVNET     head socket  upstream=devnet  state=open',
    ])
  })

  test('shows the first good call at once and sums up those that follow', () => {
    const format = terminalLog({ colour: false })
    expect(show(format, [CALL])).toEqual(['calls     ETH_DEVNET     eth_call'])
    const polled = { ...CALL, method: 'eth_blockNumber', time: at(10) }
    expect(show(format, [polled, polled, { ...CALL, time: at(20) }])).toEqual([])
    const api = { event: 'api', call: 'listApps', status: 200, ms: 1, time: at(1500) }
    expect(show(format, [api])).toEqual([
      'calls     ETH_DEVNET     eth_blockNumber ×2, eth_call',
      'api                      listApps',
    ])
  })

  test('a flood of different names fills one line', () => {
    const format = terminalLog({ colour: false })
    show(format, [CALL])
    const names = Array.from({ length: 50 }, (_, n) => ({ ...CALL, method: `m${n}`, time: at(5) }))
    const [line, ...rest] = show(format, [...names, { ...CALL, time: at(2000) }])
    expect(rest).toEqual([])
    expect(line).toBe('calls     ETH_DEVNET     m0, m1, m2, m3, m4, m5, 45 more')
  })

  test('no text of a node or a host steers the terminal', () => {
    const reason = 'a\u001b[2Jb\u0007c\nd\u009be\u202ef'
    const [line, ...rest] = shown({ event: 'courier_failed', level: 'warn', reason })
    expect(rest).toEqual([])
    expect(line).toBe('warning                  courier failed: a?[2Jb?c?d?e?f')
    const long = shown({ event: 'x', level: 'warn', reason: 'y'.repeat(100_000) })
    expect(long.join('').length).toBeLessThan(300)
  })

  test.each(['not JSON', '[]', 'null', '{"time":5}', '{}', '{"event":"rpc"}', '{"event":"block"}'])(
    'shows %s as well as it can',
    (text) => {
      expect(terminalLog({ colour: false })(`${text}\n`).split('\n')).toHaveLength(2)
    },
  )

  test('is coloured where colours are wanted', () => {
    const text = terminalLog({ colour: true })(
      `${JSON.stringify({ time: at(0), level: 'error', event: 'bug' })}\n`,
    )
    expect(text).toContain('\u001b[31merror')
    expect(text).toEndWith('\n')
  })
})
