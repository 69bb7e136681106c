import { describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../tests/support/test-clock.ts'
import { openReaderWatch } from './reader-watch.ts'
import { dropReply, replyBody } from './reply-body.ts'
import type { ReplyParts } from './serve-rpc.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** An answer at hand, in two pieces. */
const held = (text: string, release = () => {}): ReplyParts => [
  '{"result":',
  { pieces: [bytesOf(text.slice(0, 1)), bytesOf(text.slice(1))], release },
  '}',
]

const bodyOf = (...given: Parameters<typeof replyBody>) => replyBody(...given).body

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
    const body = bodyOf([held(LARGE)], false, sending)
    expect(body).toBeInstanceOf(Blob)
    expect(await new Response(body).text()).toBe(`{"result":${LARGE}}`)
    expect(seen).toEqual({ ended: 1, cut: 0 })
    const huge = `"${'a'.repeat(9 * 2 ** 20)}"`
    expect(bodyOf([held(huge)], false, sending)).toBeInstanceOf(ReadableStream)
    expect(bodyOf([held(LARGE)], true, sending)).toBeInstanceOf(ReadableStream)
    expect(bodyOf([held(LARGE)], false, sendingOf().sending)).toBeInstanceOf(ReadableStream)
  })

  test('is put around a page in the room of its buffer, which a response copies', async () => {
    const buffer = new SharedArrayBuffer(LARGE.length + 200)
    const page = new Uint8Array(buffer, 100, LARGE.length)
    page.set(bytesOf(LARGE))
    let released = 0
    const release = () => void released++
    const answer = { pieces: [bytesOf('[1,'), page, bytesOf(']')], release }
    const { body, copied } = replyBody(
      [['{"result":', answer, '}']],
      false,
      sendingOf(testClock(), true).sending,
    )
    expect((body as Uint8Array).buffer).toBe(buffer as unknown as ArrayBuffer)
    const response = new Response(body)
    expect(released).toBe(0)
    copied?.()
    expect(released).toBe(1)
    // The next page is written there before this one was sent.
    new Uint8Array(buffer).fill(0)
    expect(await response.text()).toBe(`{"result":[1,${LARGE}]}`)
  })

  test('is copied where a page has no room around it', async () => {
    const page = bytesOf(LARGE)
    const answer = { pieces: [page], release() {} }
    const { sending } = sendingOf(testClock(), true)
    const body = bodyOf([['{"result":', answer, '}']], false, sending)
    page.fill(0)
    expect(await new Response(body).text()).toBe(`{"result":${LARGE}}`)
  })

  test('that is streamed does not give its memory back', async () => {
    let released = 0
    const parts = held(LARGE, () => void released++)
    const { body, copied } = replyBody([parts], false, sendingOf().sending)
    expect(copied).toBeNull()
    expect(await new Response(body).text()).toBe(`{"result":${LARGE}}`)
    expect(released).toBe(0)
  })

  test('is in one piece where the answer is small and at hand', () => {
    const { seen, sending } = sendingOf()
    const body = bodyOf([held('[1]')], false, sending)
    expect(body).toBeInstanceOf(Uint8Array)
    expect(new TextDecoder().decode(body as Uint8Array)).toBe('{"result":[1]}')
    expect(bodyOf(['{}'], false, sending)).toBe('{}')
    expect(bodyOf(['{}', '{}'], true, sending)).toBe('[{},{}]')
    expect(seen.ended).toBe(3)
  })

  test('of a batch has text, held and streamed answers in their order', async () => {
    const { seen, sending } = sendingOf()
    const replies = ['{"a":0}', held('[1]'), streamed('[2]'), held('[3]')]
    expect(await new Response(bodyOf(replies, true, sending)).text()).toBe(
      '[{"a":0},{"result":[1]},{"result":[2]},{"result":[3]}]',
    )
    expect(await new Response(bodyOf([held('[1]')], true, sending)).text()).toBe('[{"result":[1]}]')
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
    const body = bodyOf([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
    const read: Uint8Array[] = []
    for await (const slice of body) read.push(slice)
    expect(read.length).toBeGreaterThan(4)
    expect(Buffer.concat(read).toString()).toBe(`{"result":${LARGE}}`)
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })

  test('of many small texts is no less large', async () => {
    const { seen, sending } = sendingOf()
    const texts = Array.from({ length: 100 }, (_, at) => `"${at}${'b'.repeat(10_000)}"`)
    const body = bodyOf(texts, true, sending)
    expect(body).toBeInstanceOf(ReadableStream)
    expect(await new Response(body).text()).toBe(`[${texts.join(',')}]`)
    expect(seen.ended).toBe(1)
  })

  test('that its client leaves alone has ended', async () => {
    const { seen, sending } = sendingOf()
    const body = bodyOf([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })

  test('that its client takes nothing of for a minute is cut', async () => {
    const { clock, seen, sending } = sendingOf()
    const body = bodyOf([held(LARGE)], false, sending) as ReadableStream<Uint8Array>
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
    const body = bodyOf([['{', silent, '}']], false, sending) as ReadableStream<Uint8Array>
    const reader = body.getReader()
    await reader.read()
    void reader.read()
    await clock.advance(STUCK_MS * 3)
    expect(seen).toEqual({ ended: 0, cut: 0 })
    await reader.cancel()
    expect(seen).toEqual({ ended: 1, cut: 0 })
  })
})
