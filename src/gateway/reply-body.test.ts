import { describe, expect, test } from 'bun:test'
import { newMemory } from '../core/lent-memory.ts'
import { joinRoomy } from '../core/roomy-bytes.ts'
import { dropReply, replyBody } from './reply-body.ts'
import type { ReplyParts } from './serve-rpc.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

const held = (text: string): ReplyParts => ['{"result":', joinRoomy([bytesOf(text)]), '}']

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

describe('the body of a reply', () => {
  test('is in one piece where the answer is at hand', () => {
    const body = replyBody([held('[1]')], false)
    expect(body).toBeInstanceOf(Uint8Array)
    expect(new TextDecoder().decode(body as Uint8Array)).toBe('{"result":[1]}')
    expect(replyBody(['{}'], false)).toBe('{}')
  })

  test('is copied by the response: its memory is lent to another answer right away', async () => {
    const text = `"${'a'.repeat(2 ** 20)}"`
    const shared = joinRoomy([bytesOf(text)], [newMemory(2 ** 21)])
    const replies: ReplyParts[] = [held(text), ['{"result":', shared, '}']]
    for (const reply of replies) {
      const body = replyBody([reply], false) as Uint8Array
      const response = new Response(body)
      body.fill(0)
      expect(await response.text()).toBe(`{"result":${text}}`)
    }
  })

  test('of a batch has text, held and streamed answers in their order', async () => {
    const body = replyBody(['{"a":0}', held('[1]'), streamed('[2]'), held('[3]')], true)
    expect(await new Response(body).text()).toBe(
      '[{"a":0},{"result":[1]},{"result":[2]},{"result":[3]}]',
    )
    const one = replyBody([held('[1]')], true)
    expect(await new Response(one).text()).toBe('[{"result":[1]}]')
  })

  test('that nobody reads lets go of its streams alone', async () => {
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
