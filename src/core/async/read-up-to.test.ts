import { describe, expect, test } from 'bun:test'
import { readUpTo } from './read-up-to.ts'

/** A stream of these chunks, and whether somebody gave it up. */
function streamOf(chunks: readonly (string | Error)[]) {
  let at = 0
  const source = { cancelled: false, pulled: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[at++]
        source.pulled++
        if (chunk === undefined) controller.close()
        else if (chunk instanceof Error) controller.error(chunk)
        else controller.enqueue(Buffer.from(chunk))
      },
      cancel() {
        source.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { source, stream }
}

describe('a stream read up to a limit', () => {
  test.each([
    ['nothing', []],
    ['empty chunks alone', ['', '']],
    ['one chunk', ['abc']],
    ['some, cut within a letter', ['a', 'b', '', 'c']],
  ])('is whole when it fits: %s', async (_title, chunks) => {
    const read = await readUpTo(streamOf(chunks).stream, 3)
    expect(read?.toString()).toBe(chunks.join(''))
  })

  test('is nothing when it is a byte too long, and the rest is given up unread', async () => {
    const { source, stream } = streamOf(['ab', 'cd', 'ef', 'gh'])
    expect(await readUpTo(stream, 3)).toBeNull()
    expect(source).toEqual({ cancelled: true, pulled: 2 })
  })

  test('is nothing when its first chunk alone is too long', async () => {
    expect(await readUpTo(streamOf(['abcd']).stream, 3)).toBeNull()
    expect(await readUpTo(streamOf(['a']).stream, 0)).toBeNull()
  })

  test('fails when the stream does', async () => {
    const { stream } = streamOf(['ab', new Error('broke off')])
    await expect(readUpTo(stream, 10)).rejects.toThrow('broke off')
  })

  test('may come from anything that is iterated', async () => {
    async function* chunks() {
      yield Buffer.from('Zür')
      yield Buffer.from('ich')
    }
    expect((await readUpTo(chunks(), 100))?.toString()).toBe('Zürich')
  })
})
