import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { Rejection } from '../../core/errors.ts'
import { NO_PLACE } from '../../core/in-flight.ts'
import { readJsonBody } from '../api/serve-call.ts'
import { isSmall, openRequestBodies, openSmallBodies } from './request-bodies.ts'

const MIB = 1024 * 1024

const bodiesOf = (bytesMax = 64 * MIB) => {
  const clock = testClock()
  return { clock, bodies: openRequestBodies({ clock, bytesMax, deadlineMs: 15_000 }) }
}

function posted(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request {
  return new Request('http://gate.example/', { method: 'POST', body, headers })
}

const declared = (bytes: number) => ({ 'content-length': String(bytes) })

/** A body that never ends, and whether it was left alone. */
function endless(chunk = new Uint8Array(0)) {
  const seen = { isCancelled: false, pulled: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      seen.pulled++
      if (chunk.length > 0) return controller.enqueue(chunk)
      return new Promise(() => {})
    },
    cancel: () => {
      seen.isCancelled = true
    },
  })
  return { body, seen }
}

const codeOf = (answer: unknown) => (answer instanceof Rejection ? answer.code : answer)

describe('a body', () => {
  test('whose client hangs up in the middle of it is no failure of ours', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
      pull: (controller) => controller.error(new Error('the connection was closed')),
    })
    const answer = await readJsonBody(bodiesOf().bodies, posted(body))
    expect(codeOf(answer)).toBe('parse_error')
  })

  test('without an end is left alone after 2.5 MiB', async () => {
    const { body, seen } = endless(new Uint8Array(64 * 1024))
    expect(codeOf(await readJsonBody(bodiesOf().bodies, posted(body)))).toBe('too_large')
    expect(seen.pulled).toBeLessThan(60)
    expect(seen.isCancelled).toBe(true)
  })

  test('with a character cut in two by the network is whole again', async () => {
    const bytes = new TextEncoder().encode('"é"')
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    expect(await readJsonBody(bodiesOf().bodies, posted(body))).toBe('é')
  })

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['bytes that UTF-8 never has', [0x22, 0xff, 0xfe, 0x22]],
    ['a character that breaks off', [0x22, 0xe2, 0x82]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
  ])('with %s is no text', async (_what, bytes) => {
    const { bodies } = bodiesOf()
    const whole = new Uint8Array(bytes)
    const request = { method: 'POST', body: whole, headers: declared(whole.length) }
    expect(codeOf(await bodies.text(new Request('http://gate.example/', request)))).toBe(
      'parse_error',
    )
    const stream = new Response(whole).body!
    expect(codeOf(await bodies.text(posted(stream)))).toBe('parse_error')
  })

  test('may have the replacement character in it, and loses its byte order mark', async () => {
    const { bodies } = bodiesOf()
    const body = '\uFEFF"\uFFFD"'
    const request = { method: 'POST', body, headers: declared(Buffer.byteLength(body)) }
    expect(await bodies.text(new Request('http://gate.example/', request))).toBe('"\uFFFD"')
  })
})

describe('the time for a body', () => {
  test.each([
    ['of a declared length', declared(100)],
    ['of no length', {}],
  ])('%s ends after 15 seconds', async (_what, headers) => {
    const { clock, bodies } = bodiesOf()
    const { body, seen } = endless()
    const reading = bodies.text(posted(body, headers))
    await clock.advance(14_000)
    expect(Bun.peek.status(reading)).toBe('pending')
    await clock.advance(2000)
    expect(codeOf(await reading)).toBe('request_timeout')
    if (!('content-length' in headers)) expect(seen.isCancelled).toBe(true)
  })

  test('is looked at only while bodies are awaited', async () => {
    const { clock, bodies } = bodiesOf()
    expect(await bodies.text(posted(new Response('{}').body!))).toBe('{}')
    await clock.advance(2000)
    expect(clock.timers()).toBe(0)
  })
})

describe('the room for bodies', () => {
  test('is counted by what they say they have, before they have sent it', async () => {
    const { clock, bodies } = bodiesOf(5 * MIB)
    const slow = [0, 1].map(() => bodies.text(posted(endless().body, declared(2 * MIB))))
    const third = await bodies.text(posted(endless().body, declared(2 * MIB)))
    expect(codeOf(third)).toBe('overloaded')

    // Whoever is small needs no room, and whoever was cut has given it back.
    expect(await bodies.text(posted(new Response('{}').body!))).toBe('{}')
    await clock.advance(16_000)
    expect((await Promise.all(slow)).map(codeOf)).toEqual(['request_timeout', 'request_timeout'])
    const text = 'a'.repeat(2 * MIB)
    const request = { method: 'POST', body: text, headers: declared(text.length) }
    for (let at = 0; at < 5; at++) {
      expect(await bodies.text(new Request('http://gate.example/', request))).toBe(text)
    }
  })

  test('is counted as it comes where nobody says how much it is', async () => {
    const { bodies } = bodiesOf(MIB)
    const { body, seen } = endless(new Uint8Array(64 * 1024))
    expect(codeOf(await bodies.text(posted(body)))).toBe('overloaded')
    expect(seen.isCancelled).toBe(true)
    const again = endless(new Uint8Array(64 * 1024))
    expect(codeOf(await bodies.text(posted(again.body)))).toBe('overloaded')
    expect(again.seen.pulled).toBeGreaterThan(10)
  })
})

describe('the deadline of small bodies', () => {
  test('cuts whoever has not sent all in time, once, and nobody else', async () => {
    const clock = testClock()
    let deadlineMs = 15_000
    const bodies = openSmallBodies(clock, () => deadlineMs)
    const cuts: string[] = []
    const sender = (name: string) => ({
      place: NO_PLACE,
      startedAtMs: clock.monotonicMs(),
      client: { cut: () => void cuts.push(name) },
    })
    const slow = sender('slow')
    const quick = sender('quick')
    bodies.begun(slow)
    bodies.begun(quick)
    await clock.advance(5000)
    bodies.ended(quick)
    bodies.begun(sender('later'))
    await clock.advance(9000)
    expect(cuts).toEqual([])
    await clock.advance(2000)
    expect(cuts).toEqual(['slow'])
    // As a reload may change it.
    deadlineMs = 12_000
    await clock.advance(2000)
    expect(cuts).toEqual(['slow', 'later'])
    bodies.ended(slow)
    await clock.advance(60_000)
    expect(cuts).toEqual(['slow', 'later'])
    expect(clock.timers()).toBe(0)
  })
})

test.each([
  ['0', true],
  ['100', true],
  ['8192', true],
  ['8193', false],
  [null, false],
])('a body of the declared length %p is small: %p', (declared, small) => {
  const headers: Record<string, string> = declared === null ? {} : { 'content-length': declared }
  const request = new Request('http://gate.example/', { method: 'POST', body: '{}', headers })
  expect(isSmall(request)).toBe(small)
})
