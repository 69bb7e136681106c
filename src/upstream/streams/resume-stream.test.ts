import { describe, expect, test } from 'bun:test'
import { resumeStream } from './resume-stream.ts'

const WHOLE = 'the whole of the answer'

describe('a reader that goes on with another answer', () => {
  test('gets the rest of one that begins with what it was sent, however it is cut', async () => {
    for (let sent = 0; sent <= WHOLE.length; sent++) {
      for (const size of [1, 2, 7, 100]) {
        expect(await resumed(pieces(WHOLE, size), WHOLE.slice(0, sent))).toBe(WHOLE.slice(sent))
      }
    }
  })

  test('gets a longer one that begins so, as that is whole as well', async () => {
    expect(await resumed(pieces(`${WHOLE} and more`, 3), WHOLE)).toBe(' and more')
  })

  test('fails with one that differs in a byte, is shorter, or does not come', async () => {
    for (const other of ['The whole of the answer', 'the whole', '']) {
      const reading = resumed(pieces(other, 4), WHOLE.slice(0, 12))
      await expect(reading).rejects.toThrow('the answer changed while it was read')
    }
    const failed = resumeStream(Promise.reject(new Error('no node')), sentOf('the'))
    await expect(failed.text()).rejects.toThrow('no node')
  })

  test('gives the answer up when it goes, also before that has come', async () => {
    const { promise, resolve } = Promise.withResolvers<ReadableStream<Uint8Array>>()
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>()
    const stream = resumeStream(promise, sentOf('the'))
    const gone = stream.cancel()
    resolve(new ReadableStream<Uint8Array>({ cancel }))
    await gone
    await cancelled
  })
})

function resumed(answer: ReadableStream<Uint8Array>, sent: string): Promise<string> {
  return resumeStream(Promise.resolve(answer), sentOf(sent)).text()
}

function sentOf(text: string) {
  return { bytes: text.length, sha256: new Bun.CryptoHasher('sha256').update(text).digest('hex') }
}

function pieces(text: string, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= text.length) return controller.close()
      controller.enqueue(new TextEncoder().encode(text.slice(at, at + size)))
      at += size
    },
  })
}
