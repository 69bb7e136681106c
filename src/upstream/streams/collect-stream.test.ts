import { describe, expect, test } from 'bun:test'
import { collectStream } from './collect-stream.ts'

describe('collecting what streams by', () => {
  test('hands over the text once the stream has ended, and passes every byte on', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['{"a":', '"ü"}']), 100, (text) => texts.push(text))
    expect(await new Response(stream).text()).toBe('{"a":"ü"}')
    expect(texts).toEqual(['{"a":"ü"}'])
  })

  test('holds nothing of an answer that is too long, and passes it on all the same', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['12345', '67890', 'x']), 10, (text) => texts.push(text))
    expect(await new Response(stream).text()).toBe('1234567890x')
    expect(texts).toEqual([])
  })

  test('an answer that breaks off is not collected', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['1'], new Error('cut')), 10, (text) => texts.push(text))
    const reader = stream.getReader()
    await reader.read()
    expect(await reader.read().catch((error: Error) => error.message)).toBe('cut')
    expect(texts).toEqual([])
  })

  test('whoever gives up gives up the source', async () => {
    let cancelled = false
    const source = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true
      },
    })
    await collectStream(source, 10, () => {}).cancel()
    expect(cancelled).toBe(true)
  })
})

function streamOf(texts: string[], error?: Error): ReadableStream<Uint8Array> {
  const left = texts.map((text) => new TextEncoder().encode(text))
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift()
      if (next) controller.enqueue(next)
      else if (error) controller.error(error)
      else controller.close()
    },
  })
}
