import { describe, expect, test } from 'bun:test'
import { encodeMessage, FRAME_BYTES_MAX, readFrame, writeFrames } from './signal-frame.ts'

const frames = (...messages: [string, string][]) =>
  writeFrames(
    'me',
    messages.map(([topic, text]) => encodeMessage(topic, text)!),
  )

describe('frames of signals', () => {
  test('nothing to say makes no frame', () => {
    expect(frames()).toEqual([])
  })

  test('are read as they were written', () => {
    const messages: [string, string][] = [
      ['a', ''],
      ['b', 'Grüße 😀'],
      ['', '"\\\u0000'],
      ['lone', '\ud800'],
    ]
    const [frame, ...more] = frames(...messages)
    expect(more).toEqual([])
    expect(frame!.messages).toBe(4)
    expect(readFrame(frame!.text)).toEqual({ sender: 'me', messages })
  })

  test('hold as much as fits, and never more than PostgreSQL carries', () => {
    const messages = Array.from({ length: 500 }, (_, at): [string, string] => [
      `topic ${at}`,
      'ü'.repeat((at * 37) % 3000),
    ])
    const written = frames(...messages)
    for (const { text } of written) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(FRAME_BYTES_MAX)
    }
    const read = written.map(({ text }) => readFrame(text))
    expect(read.flatMap((frame) => (typeof frame === 'string' ? [] : frame.messages))).toEqual(
      messages,
    )
    const bytes = written.map(({ text }) => Buffer.byteLength(text))
    // No frame could have taken in the next one as well.
    for (let at = 1; at < bytes.length; at++) {
      expect(bytes[at - 1]! + bytes[at]!).toBeGreaterThan(FRAME_BYTES_MAX - 100)
    }
  })

  test('a message that no frame can hold is refused before it is sent', () => {
    expect(encodeMessage('a', 'x'.repeat(6800))).not.toBeNull()
    expect(encodeMessage('a', 'x'.repeat(7000))).toBeNull()
    // Short as it is, each of its characters takes six bytes in JSON.
    expect(encodeMessage('a', '\u0000'.repeat(1200))).toBeNull()
    expect(encodeMessage('x'.repeat(2 ** 20), '')).toBeNull()
  })

  test.each([
    ['nothing', '', 'malformed'],
    ['no JSON', '[1,"me"', 'malformed'],
    ['a number', '1', 'malformed'],
    ['null', 'null', 'malformed'],
    ['an object', '{"0":1,"1":"me","length":2}', 'malformed'],
    ['an empty list', '[]', 'malformed'],
    ['no version', '["me",["a","b"]]', 'malformed'],
    ['a version as text', '["1","me",["a","b"]]', 'malformed'],
    ['no sender', '[1]', 'malformed'],
    ['a sender of another kind', '[1,{"toString":1},["a","b"]]', 'malformed'],
    ['a message that is text', '[1,"you","ab"]', 'malformed'],
    ['a message of one part', '[1,"you",["a"]]', 'malformed'],
    ['a message of three parts', '[1,"you",["a","b","c"]]', 'malformed'],
    ['a message with a number', '[1,"you",["a",1]]', 'malformed'],
    ['one bad message among good ones', '[1,"you",["a","b"],null]', 'malformed'],
    ['deep nesting', `[1,"you",${'['.repeat(3000)}${']'.repeat(3000)}]`, 'malformed'],
    ['binary', '\u0000\ufffd\ufffd', 'malformed'],
    ['another version', '[2,"you",["a","b"]]', 'other_version'],
    ['another version of another form', '[2,{"new":"form"}]', 'other_version'],
    ['a version that is close', '[1.5,"you",["a","b"]]', 'other_version'],
    ['more than anyone of us sends', `[1,"you",["a","${'x'.repeat(7000)}"]]`, 'oversized'],
    ['megabytes', ' '.repeat(8 * 2 ** 20), 'oversized'],
  ])('%s is no frame', (_, text, fault) => {
    expect(readFrame(text)).toBe(fault as never)
  })

  test('a frame without messages says nothing', () => {
    expect(readFrame('[1,"you"]')).toEqual({ sender: 'you', messages: [] })
  })
})
