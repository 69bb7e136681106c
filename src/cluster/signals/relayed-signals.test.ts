import { beforeEach, describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { settled, type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'
import { openRelayedSignals, type WireNotice } from './relayed-signals.ts'

/** A wire that does as it is told, with the times and the log of a test. */
function stage() {
  const clock: TestClock = testClock()
  const counts: Record<string, number> = {}
  const logged: string[] = []
  const sent: string[] = []
  let hear: (text: string) => void = () => {}
  let notice: WireNotice | null = null
  let isWireClosed = false
  const stand = {
    clock,
    counts,
    logged,
    sent,
    send: (_text: string): Promise<unknown> => settled(),
    hear: (text: string) => hear(text),
    notice: () => notice!,
    isWireClosed: () => isWireClosed,
    signals: null as unknown as Signals,
  }
  const telemetry: Telemetry = {
    ...quietTelemetry(),
    log: (_, event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`),
    count: (name: string, labels: { reason?: string }, by = 1) => {
      const key = `${name.replace(/^headgate_signals_|_total$/g, '')} ${labels.reason}`
      counts[key] = (counts[key] ?? 0) + by
    },
  }
  const entropy = { ...systemEntropy(), alphanumeric: () => 'me' }
  stand.signals = openRelayedSignals({ clock, entropy, telemetry }, (hearFrame, told) => {
    hear = hearFrame
    notice = told
    return {
      send: (text) => {
        sent.push(text)
        return stand.send(text)
      },
      close: async () => {
        isWireClosed = true
      },
    }
  })
  return stand
}

describe('signals over a wire', () => {
  let it: ReturnType<typeof stage>
  let heard: string[]
  beforeEach(() => {
    it = stage()
    heard = []
    it.signals.subscribe('a', (text) => heard.push(text))
  })

  test('hints of one moment leave in one frame', async () => {
    for (const text of ['1', '2', '3']) it.signals.publish('a', text)
    expect(it.sent).toEqual([])
    await it.clock.advance(2)
    expect(it.sent).toEqual(['[1,"me",["a","1"],["a","2"],["a","3"]]'])
    await it.clock.advance(1000)
    expect(it.sent).toHaveLength(1)
    expect(it.clock.timers()).toBe(0)
  })

  test('hints of others are told, own ones that come back are not', async () => {
    it.hear('[1,"you",["a","1"],["b","2"],["a","3"]]')
    it.hear('[1,"me",["a","4"]]')
    await settled()
    expect(heard).toEqual(['1', '3'])
    expect(it.counts).toEqual({})
  })

  test('texts that are no frames are ignored and counted', async () => {
    for (const text of ['', 'x', '[2,"you"]', '[1,"you",["a"]]', ' '.repeat(9000)]) it.hear(text)
    await settled()
    expect(heard).toEqual([])
    expect(it.counts).toEqual({
      'ignored malformed': 3,
      'ignored other_version': 1,
      'ignored oversized': 1,
    })
    expect(it.logged).toEqual([])
  })

  test('hints that the wire loses are counted, each of them', async () => {
    it.send = () => Promise.reject(new Error('away'))
    for (let at = 0; at < 30; at++) it.signals.publish('a', 'x'.repeat(1000))
    await it.clock.advance(2)
    expect(it.sent.length).toBeGreaterThan(1)
    expect(it.counts).toEqual({ 'lost away': 30 })
    expect(heard).toHaveLength(30)
  })

  test('only the frame that is lost is counted', async () => {
    it.send = (text) => (text.includes('bad') ? Promise.reject(new Error('away')) : settled())
    it.signals.publish('a', `bad${'x'.repeat(6000)}`)
    it.signals.publish('a', 'y'.repeat(6000))
    await it.clock.advance(2)
    expect(it.counts).toEqual({ 'lost away': 1 })
  })

  test('a wire that throws at once harms nobody', async () => {
    it.send = () => {
      throw new Error('a bad wire')
    }
    it.signals.publish('a', '1')
    await it.clock.advance(2)
    expect(it.counts).toEqual({ 'lost away': 1 })
  })

  test('a hint that is too long for the wire is heard here, and counted', async () => {
    it.signals.publish('a', 'x'.repeat(10_000))
    await it.clock.advance(2)
    expect(heard).toHaveLength(1)
    expect(it.sent).toEqual([])
    expect(it.counts).toEqual({ 'lost oversized': 1 })
  })

  test('while the wire hangs, no more than a bounded number of hints waits', async () => {
    it.send = () => new Promise(() => {})
    it.signals.publish('a', 'first')
    await it.clock.advance(2)
    for (let at = 0; at < 5000; at++) it.signals.publish('a', `${at}`)
    await it.clock.advance(100)
    expect(it.counts).toEqual({ 'lost overflow': 4000 })
    expect(it.sent).toHaveLength(1)
  })

  test('a text that is never answered is lost in the end, and later ones are sent', async () => {
    it.send = () => new Promise(() => {})
    it.signals.publish('a', '1')
    await it.clock.advance(2)
    it.signals.publish('a', '2')
    it.send = () => Promise.resolve()
    await it.clock.advance(10_000)
    expect(it.counts).toEqual({ 'lost away': 1 })
    expect(it.sent).toEqual(['[1,"me",["a","1"]]', '[1,"me",["a","2"]]'])
    expect(it.logged).toEqual(['signals_away {"reason":"no answer in 5000 ms"}', 'signals_back {}'])
  })

  test('an outage has one line in the log, and so has its end', async () => {
    const { away, back } = it.notice()
    back()
    away('refused')
    away('refused')
    it.send = () => Promise.reject(new Error('away'))
    it.signals.publish('a', '1')
    await it.clock.advance(2)
    away('refused for another reason')
    back()
    back()
    away('refused again')
    expect(it.logged).toEqual([
      'signals_away {"reason":"refused"}',
      'signals_back {}',
      'signals_away {"reason":"refused again"}',
    ])
  })

  test('closing sends what was gathered, and then closes the wire', async () => {
    it.signals.publish('a', '1')
    await it.signals.close()
    expect(it.sent).toEqual(['[1,"me",["a","1"]]'])
    expect(it.isWireClosed()).toBe(true)
    expect(it.clock.timers()).toBe(0)
  })

  test('closing does not wait for a wire that hangs', async () => {
    it.send = () => new Promise(() => {})
    it.signals.publish('a', '1')
    const closing = it.signals.close()
    await it.clock.advance(500)
    await closing
    expect(it.isWireClosed()).toBe(true)
  })

  test('after closing nothing is heard, sent, counted or logged', async () => {
    const { away } = it.notice()
    await it.signals.close()
    it.hear('[1,"you",["a","1"]]')
    it.hear('garbage')
    it.signals.publish('a', '2')
    away('closed')
    await it.clock.advance(1000)
    expect([heard, it.sent, it.logged, it.counts]).toEqual([[], [], [], {}])
  })
})
