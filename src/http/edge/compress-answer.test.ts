import { describe, expect, test } from 'bun:test'
import { compressAnswer, isCompressible } from './compress-answer.ts'

const SLICE = 64 * 1024

/** Does not get smaller, so that what was read and what was pulled can be compared. */
const noise = () => crypto.getRandomValues(new Uint8Array(SLICE))

function endless() {
  const seen = { pulled: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.pulled++
        controller.enqueue(noise())
      },
      cancel() {
        seen.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

test('only what is long is worth compression', () => {
  expect(isCompressible('a'.repeat(16 * 1024 - 1))).toBe(false)
  expect(isCompressible('a'.repeat(16 * 1024))).toBe(true)
  expect(isCompressible(new Uint8Array(100))).toBe(false)
  expect(compressAnswer('a'.repeat(20_000), 'br')).toBeNull()
})

test('bytes and blobs are compressed, be they short or long', async () => {
  for (const size of [20_000, 500_000]) {
    const bytes = new Uint8Array(size).fill(7)
    for (const body of [bytes, new Blob([bytes])]) {
      expect(isCompressible(body)).toBe(true)
      const compressed = compressAnswer(body, 'gzip')?.body
      const whole = new Uint8Array(await new Response(compressed).arrayBuffer())
      expect(Bun.gunzipSync(whole)).toEqual(bytes)
    }
  }
})

describe.each(['gzip', 'zstd'])('a stream compressed with %s', (coding) => {
  const compress = (stream: ReadableStream<Uint8Array>) =>
    compressAnswer(stream, coding)?.body as ReadableStream<Uint8Array>

  test('is read no faster than its client reads', async () => {
    const { stream, seen } = endless()
    const reader = compress(stream).getReader()
    let readBytes = 0
    while (readBytes < 20 * SLICE) readBytes += (await reader.read()).value?.length ?? 0
    await new Promise(setImmediate)
    expect(seen.pulled).toBeLessThan(30)

    await reader.cancel()
    await new Promise(setImmediate)
    expect(seen.isCancelled).toBe(true)
  })

  test('breaks where its source breaks', async () => {
    let pulled = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled++ < 20) controller.enqueue(noise())
        else controller.error(new Error('the node broke off'))
      },
    })
    const read = async () => {
      for await (const _bytes of compress(stream));
    }
    await expect(read()).rejects.toThrow('the node broke off')
  })
})
