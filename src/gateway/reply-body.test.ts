import { describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { openReaderWatch } from './reader-watch.ts'
import { dropReply, replyBody } from './reply-body.ts'
import type { ReplyParts } from './serve-rpc.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** An answer at hand, in two pieces. */
const held = (text: string): ReplyParts => [
  '{"result":',
  { pieces: [bytesOf(text.slice(0, 1)), bytesOf(text.slice(1))] },
  '}',
]

const streamed = (text: string): ReplyParts => [
  '{"result":',
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytesOf(text))
      controller.close()
    },
  }),
  '}',
]

const STUCK_MS = 60_000

/** How an answer is sent, with what became of it. */
function sendingOf(clock: TestClock = testClock(), quiet = false) {
  const seen = { ended: 0, cut: 0 }
  const sending = {
    watch: openReaderWatch(clock, () => STUCK_MS),
    cut: () => void seen.cut++,
    isQuiet: () => quiet,
    ended: () => void seen.ended++,
  }
  return { clock, seen, sending }
}

const LARGE = `"${'a'.repeat(2 ** 20)}"`

describe('the body of a reply', () => {
  test('is in one piece for a page of the index while few requests are open', async () => {
    const { sending, seen } = sendingOf(testClock(), true)
    const body = replyBody([held(LARGE)], false, sending)
    expect(body).toBeInstanceOf(Blob)
    expect(await new Response(body).text()).toBe(`{"result":${LARGE}}`)
    expect(seen).toEqual({ ended: 1, cut: 0 })
    const huge = `"${'a'.repeat(9 * 2 ** 20)}"`
    expect(replyBody([held(huge)], false, sending)).toBeInstanceOf(ReadableStream)
    expect(replyBody([held(LARGE)], true, sending)).toBeInstanceOf(ReadableStream)
    expect(replyBody([held(LARGE)], false, sendingOf().sending)).toBeInstanceOf(ReadableStream)
  })

  test('of a large page is copied', async () => {
    const page = bytesOf(LARGE)
    const answer = { pieces: [page] }
    const { sending } = sendingOf(testClock(), true)
    const body = replyBody([['{"result":', answer, '}']], false, sending)
    page.fill(0)
    expect(await new Response(body).text()).toBe(`{"result":${LARGE}}`)
  })

  test('is in one piece where the answer is small and at hand', () => {
    const { seen, sending } = sendingOf()
    const body = replyBody([held('[1]')], false, sending)
    expect(body).toBeInstanceOf(Uint8Array)
    expect(new TextDecoder().decode(body as Uint8Array)).toBe('{"result":[1]}')
    expect(replyBody(['{}'], false, sending)).toBe('{}')
    expect(replyBody(['{}', '{}'], true, sending)).toBe('[{},{}]')
    expect(seen.ended).toBe(3)
  })

  test('of a batch has text, held and streamed answers in their order', async () => {
    const { seen, sending } = sendingOf()
    const replies = ['{"a":0}', held('[1]'), streamed('[2]'), held('[3]')]
    expect(await new Response(replyBody(replies, true, sending)).text()).toBe(
      '[{"a":0},{"result":[1]},{"result":[2]},{"result":[3]}]',
    )
    expect(await new Response(replyBody([held('[1]')], true, sending)).text()).toBe(
      '[{"result":[1]}]',
    )
    expect(seen.ended).toBe(2)
  })

  test('that nobody reads ends its streams', async () => {
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true
      },
    })
    dropReply(['{}', held('[1]'), ['', stream, '']])
    await Promise.resolve()
    expect(isCancelled).toBe(true)
  })
})

describe('a large answer', () => {
  test('is handed over in slices, as its client reads', async () => {
    const { seen, sending } = sendingOf()
    const body = replyBody([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
    const read: Uint8Array[] = []
    for await (const slice of body) read.push(slice)
    expect(read.length).toBeGreaterThan(4)
    expect(Buffer.concat(read).toString()).toBe(`{"result":${LARGE}}`)
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })

  test('of many small texts is no less large', async () => {
    const { seen, sending } = sendingOf()
    const texts = Array.from({ length: 100 }, (_, at) => `"${at}${'b'.repeat(10_000)}"`)
    const body = replyBody(texts, true, sending)
    expect(body).toBeInstanceOf(ReadableStream)
    expect(await new Response(body).text()).toBe(`[${texts.join(',')}]`)
    expect(seen.ended).toBe(1)
  })

  test('that its client leaves alone has ended', async () => {
    const { seen, sending } = sendingOf()
    const body = replyBody([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })

  test('that its client takes nothing of for a minute is cut', async () => {
    const { clock, seen, sending } = sendingOf()
    const body = replyBody([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
    const reader = body.getReader()
    for (let minutes = 0; minutes < 3; minutes++) {
      await reader.read()
      await clock.advance(STUCK_MS - 2000)
    }
    expect(seen).toEqual({ ended: 0, cut: 0 })
    await clock.advance(4000)
    expect(seen).toEqual({ ended: 1, cut: 1 })
    expect(reader.read()).rejects.toThrow()
    expect(clock.timers()).toBe(0)
  })

  test('whose node is slow is not blamed on its client', async () => {
    const { clock, seen, sending } = sendingOf()
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const body = replyBody([['{', silent, '}']], false, sending) as ReadableStream<Uint8Array>
    const reader = body.getReader()
    await reader.read()
    void reader.read()
    await clock.advance(STUCK_MS * 3)
    expect(seen).toEqual({ ended: 0, cut: 0 })
    await reader.cancel()
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })
})
