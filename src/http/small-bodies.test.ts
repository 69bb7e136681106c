import { describe, expect, test } from 'bun:test'
import { testClock } from '../../tests/support/test-clock.ts'
import { Rejection } from '../core/errors.ts'
import { decodedText, openSmallBodies, smallLength } from './small-bodies.ts'

const sent = (declared: string | null) =>
  new Request('http://gate.example/', {
    method: 'POST',
    body: '{}',
    headers: declared === null ? {} : { 'content-length': declared },
  })

/** As the runtime decodes it. */
async function decoded(bytes: readonly number[]): Promise<string | Rejection> {
  const text = await new Response(new Uint8Array(bytes)).text()
  return decodedText(text, bytes.length)
}

describe('the deadline of small bodies', () => {
  test('cuts whoever has not sent all in time, once, and nobody else', async () => {
    const clock = testClock()
    let deadlineMs = 15_000
    const bodies = openSmallBodies({ clock, deadlineMs: () => deadlineMs })
    const cuts: string[] = []
    const sender = (name: string) => ({
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
  ['0', 0],
  ['100', 100],
  ['8192', 8192],
  ['8193', null],
  [null, null],
])('a body of the declared length %p is small with %p', (declared, length) => {
  expect(smallLength(sent(declared))).toBe(length)
})

describe('a decoded body', () => {
  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['bytes that UTF-8 never has', [0x22, 0xff, 0xfe, 0x22]],
    ['a character that breaks off', [0x22, 0xe2, 0x82]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a character beside a good U+FFFD', [0x22, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x22]],
  ])('with %s is no text', async (_what, bytes) => {
    const text = await decoded(bytes)
    expect(text instanceof Rejection ? text.code : text).toBe('parse_error')
  })

  test('may have the replacement character in it, and loses its byte order mark', async () => {
    expect(await decoded([...Buffer.from('"\uFFFD é 😀"')])).toBe('"\uFFFD é 😀"')
    expect(await decoded([...Buffer.from('\uFEFF"\uFFFD"')])).toBe('"\uFFFD"')
  })
})
