import { describe, expect, test } from 'bun:test'
import { joinRoomy, letGo, putAround, ROOM_BYTES, roomyBytes, roomyOver } from './roomy-bytes.ts'

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('bytes with room around them', () => {
  test('take text on both sides without being copied', () => {
    const memory = new Uint8Array(2 * ROOM_BYTES + 3)
    memory.set(bytesOf('abc'), ROOM_BYTES)
    const roomy = roomyOver(memory.subarray(ROOM_BYTES, ROOM_BYTES + 3), ROOM_BYTES)
    const whole = roomyBytes(putAround(putAround(roomy, '[', ']'), '{"é":', '}'))
    expect(textOf(whole)).toBe('{"é":[abc]}')
    expect(whole.buffer).toBe(memory.buffer)
  })

  test.each([
    ['before', 'x'.repeat(ROOM_BYTES + 1), ''],
    ['behind', '', 'x'.repeat(ROOM_BYTES + 1)],
  ])('are copied where more is put %s them than there is room for', (_where, before, after) => {
    const roomy = joinRoomy([bytesOf('ab'), bytesOf('c')])
    const around = putAround(roomy, before, after)
    expect(textOf(roomyBytes(putAround(around, '(', ')')))).toBe(`(${before}abc${after})`)
    expect(textOf(roomyBytes(roomy))).toBe('abc')
  })

  test('use all of their room, and not a byte more', () => {
    const memory = bytesOf('<.abc.>')
    const roomy = roomyOver(memory.subarray(2, 5), 1)
    expect(textOf(roomyBytes(putAround(roomy, '[', ']')))).toBe('[abc]')
    expect(textOf(memory)).toBe('<[abc]>')
    expect(textOf(roomyBytes(putAround(roomy, '[[', ']')))).toBe('[[abc]')
    expect(textOf(memory)).toBe('<[abc]>')
  })

  test('can be none at all', () => {
    expect(textOf(roomyBytes(putAround(joinRoomy([]), '[', ']')))).toBe('[]')
  })

  test('are copied by a response, which outlives them', async () => {
    const bytes = bytesOf('abc'.repeat(1_000_000))
    const response = new Response(bytes)
    letGo(bytes)
    expect(bytes.length).toBe(0)
    expect(await response.text()).toBe('abc'.repeat(1_000_000))
  })
})
