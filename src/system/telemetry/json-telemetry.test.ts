import { describe, expect, test } from 'bun:test'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields } from '../../ports/telemetry.ts'
import { jsonTelemetry } from './json-telemetry.ts'

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

describe('log lines', () => {
  test('are one JSON object each, with time, level and event first', async () => {
    const { telemetry, text } = logOf()
    telemetry.log('info', 'rpc_served', { method: 'eth_call', ms: 1.5, cached: false, id: null })
    telemetry.log('warn', 'upstream_slow', {})
    await telemetry.flush()
    expect(text()).toBe(
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","event":"rpc_served",' +
        '"method":"eth_call","ms":1.5,"cached":false,"id":null}\n' +
        '{"time":"2026-01-02T03:04:05.006Z","level":"warn","event":"upstream_slow"}\n',
    )
  })

  test('carry the component when there is one', async () => {
    const { telemetry, lines } = logOf({ component: 'courier "2"' })
    telemetry.log('info', 'started', { port: 1 })
    await telemetry.flush()
    expect(lines()).toMatchObject([{ event: 'started', component: 'courier "2"', port: 1 }])
  })

  test.each([
    ['quotes and backslashes', 'say "hi" \\ bye'],
    ['line breaks and control characters', 'a\nb\r\tc\u0000\u001f\u007f'],
    ['other scripts and emoji', 'Zürich 東京 🚪'],
    ['half an emoji', '\ud83d'],
    ['line separators', 'a\u2028b\u2029c'],
    ['JSON that wants out', '"},{"level":"error'],
  ])('stay one valid line with %s', async (_title, hostile) => {
    const { telemetry, text, lines } = logOf()
    telemetry.log('error', hostile, { [hostile]: hostile })
    await telemetry.flush()
    expect(text().split('\n')).toHaveLength(2)
    const [line] = lines()
    expect(line).toMatchObject({ level: 'error', event: hostile })
    expect(line?.[hostile]).toBe(hostile)
  })

  test('numbers that JSON does not know become null', async () => {
    const { telemetry, lines } = logOf()
    const fields = { nan: Number.NaN, endless: Number.NEGATIVE_INFINITY, missing: undefined }
    telemetry.log('info', 'x', fields as unknown as LogFields)
    await telemetry.flush()
    expect(lines()).toMatchObject([{ nan: null, endless: null, missing: null }])
  })

  test('a field cannot pass for the time, the level or the event', async () => {
    const { telemetry, lines } = logOf()
    telemetry.log('info', 'x', { time: 'never', level: 'error', event: 'y' })
    await telemetry.flush()
    expect(lines()).toMatchObject([
      { level: 'info', event: 'x', field_time: 'never', field_level: 'error', field_event: 'y' },
    ])
  })

  test('a field of a megabyte is cut', async () => {
    const { telemetry, lines } = logOf()
    telemetry.log('info', 'x', { body: 'b'.repeat(1_000_000) })
    await telemetry.flush()
    expect(lines()[0]?.body).toBe(`${'b'.repeat(8_192)}…`)
  })
})

describe('the log buffer', () => {
  test('writes after 100 ms what a quiet service said', async () => {
    const { telemetry, pieces, clock } = logOf()
    telemetry.log('info', 'one', {})
    telemetry.log('info', 'two', {})
    clock.advance(99)
    expect(pieces).toHaveLength(0)
    clock.advance(1)
    expect(pieces).toHaveLength(1)
    telemetry.log('info', 'three', {})
    clock.advance(100)
    expect(pieces).toHaveLength(2)
    expect(clock.timers()).toBe(0)
  })

  test('writes at 16 KiB without waiting', async () => {
    const { telemetry, pieces } = logOf()
    const lineChars = 1_000
    while (pieces.length === 0) telemetry.log('info', 'x', { pad: 'p'.repeat(lineChars) })
    expect(pieces[0]?.length).toBeGreaterThanOrEqual(16_384)
    expect(pieces[0]?.length).toBeLessThan(16_384 + 2 * lineChars)
  })

  test('one write at a time; what comes meanwhile goes out in order with the next', async () => {
    const writes: { text: string; done: () => void }[] = []
    const { telemetry, clock } = logOf({
      write: (text) => new Promise<void>((done) => writes.push({ text, done })),
    })
    telemetry.log('info', 'first', {})
    clock.advance(100)
    telemetry.log('info', 'second', {})
    clock.advance(100)
    telemetry.log('info', 'third', {})
    clock.advance(100)
    expect(writes).toHaveLength(1)
    const flushed = telemetry.flush()
    writes[0]?.done()
    await Bun.sleep(0)
    writes[1]?.done()
    await flushed
    expect(writes.map(({ text }) => text.match(/first|second|third/g))).toEqual([
      ['first'],
      ['second', 'third'],
    ])
  })

  test('a reader that stands still costs lines, not memory, and the holes are counted', async () => {
    let release = () => {}
    let written = 0
    const { telemetry } = logOf({
      write: (text) => {
        written += text.split('\n').length - 1
        return new Promise<void>((done) => {
          release = done
        })
      },
    })
    for (let line = 0; line < 3_000; line++) {
      telemetry.log('info', 'x', { pad: 'p'.repeat(8_000) })
    }
    const dropped = counterOf(telemetry.exposition(), 'headgate_log_lines_dropped_total')
    expect(dropped).toBeGreaterThan(1_900)

    const flushed = telemetry.flush()
    release()
    await Bun.sleep(0)
    release()
    await flushed
    expect(written).toBe(3_000 - dropped)
  })

  test('a writer that fails is survived and counted', async () => {
    let mood: 'throws' | 'rejects' | 'works' = 'throws'
    const { telemetry, pieces } = logOf({
      write: (text) => {
        if (mood === 'throws') throw new Error('disk full')
        if (mood === 'rejects') return Promise.reject(new Error('disk full'))
        pieces.push(text)
      },
    })
    telemetry.log('info', 'lost', {})
    telemetry.log('info', 'lost', {})
    await telemetry.flush()
    mood = 'rejects'
    telemetry.log('info', 'lost', {})
    await telemetry.flush()
    mood = 'works'
    telemetry.log('info', 'kept', {})
    await telemetry.flush()
    expect(counterOf(telemetry.exposition(), 'headgate_log_lines_dropped_total')).toBe(3)
    expect(pieces.join('')).toContain('kept')
  })
})

type Write = (text: string) => void | Promise<void>

function logOf(options: { component?: string; write?: Write } = {}) {
  const pieces: string[] = []
  const clock = handClock()
  const write: Write =
    options.write ??
    ((text) => {
      pieces.push(text)
    })
  const telemetry = jsonTelemetry({ ...options, clock, write })
  const text = () => pieces.join('')
  const lines = (): Record<string, unknown>[] =>
    text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { telemetry, pieces, clock, text, lines }
}

/** A clock that moves by hand. */
function handClock() {
  let nowMs = START_MS
  const waiting = new Set<{ dueMs: number; work: () => void }>()
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, work) {
      const entry = { dueMs: nowMs + delayMs, work }
      waiting.add(entry)
      return () => waiting.delete(entry)
    },
    every: () => () => {},
    sleep: () => Promise.resolve(),
  }
  const advance = (ms: number) => {
    nowMs += ms
    for (const entry of [...waiting]) {
      if (entry.dueMs > nowMs) continue
      waiting.delete(entry)
      entry.work()
    }
  }
  return { ...clock, advance, timers: () => waiting.size }
}

function counterOf(exposition: string, name: string): number {
  return Number(exposition.match(new RegExp(`^${name} (\\d+)$`, 'm'))?.[1])
}
