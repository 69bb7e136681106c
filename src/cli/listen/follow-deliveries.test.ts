import { describe, expect, test } from 'bun:test'
import { eventsIn } from './follow-deliveries.ts'
import { readSince } from './read-since.ts'

async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

describe('the stream of events', () => {
  const TEXT =
    'retry: 1000\n\n: still here\n\nid: 1\nevent: delivery\ndata: {"a":": \\n"}\n\n' +
    'event: gap\ndata: {}\n\nnonsense\nevent\n\nid: 9\nevent: cut'

  test.each([1, 2, 7, 1000])('is read in pieces of %i', async (size) => {
    expect(await Array.fromAsync(eventsIn(inPieces(TEXT, size)))).toEqual([
      { id: '1', name: 'delivery', data: '{"a":": \\n"}' },
      { id: null, name: 'gap', data: '{}' },
    ])
  })

  test('is given up when an event has no end', async () => {
    const endless = inPieces('x'.repeat(1024 * 1024 + 10), 65_536)
    await expect(Array.fromAsync(eventsIn(endless))).rejects.toThrow('too long')
  })
})

test.each([
  ['10m', 1_000_000 - 600_000],
  ['0s', 1_000_000],
  ['1970-01-01T00:05:00Z', 300_000],
  ['1970-01-02', 86_400_000],
  ['', null],
  ['yesterday', null],
  ['10', null],
  ['-5m', null],
  ['1970-13-45', null],
  ['1970-01-01T00:05:00', null],
])('the moment %j', (text, ms) => {
  expect(readSince(text, 1_000_000)).toBe(ms)
})
