import { describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../../tests/support/test-clock.ts'
import { type BranchReader, shareStream } from './share-stream.ts'

const MIB = 2 ** 20
const CHUNK_BYTES = 64 * 1024

describe('a stream that several read', () => {
  test('holds no more than a little for one that does not read', async () => {
    const { share, clock } = open(64)
    const fast = read(share.branch(reader('fast')))
    share.branch(reader('idle'))
    Bun.gc(true)
    const before = process.memoryUsage().arrayBuffers
    await over(clock, fast.all())
    Bun.gc(true)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MIB)
    expect(asked).toEqual(['idle'])
  })

  test('waits a moment for one behind, not longer, and not for its whole time', async () => {
    const { share, clock, source } = open(8)
    const fast = read(share.branch(reader('fast')))
    const slow = read(share.branch(reader('slow')))
    const reading = fast.all()
    for (let ms = 0; ms < 90; ms++) await clock.advance(1)
    expect(source.sentBytes).toBeLessThan(3 * MIB)
    await slow.next()
    expect(asked).toEqual([])
    expect(await over(clock, reading)).toBeLessThan(1000)
    expect(asked).toEqual(['slow'])
  })

  test('is no longer waited for together than for a few of them', async () => {
    const { share, clock } = open(16)
    const fast = read(share.branch(reader('fast')))
    for (let at = 0; at < 100; at++) {
      const behind = read(share.branch(reader('slow')))
      // They fall behind one after the other.
      for (let steps = 0; steps < at; steps++) void behind.next()
    }
    expect(await over(clock, fast.all())).toBeLessThan(1000)
    expect(asked.length).toBeGreaterThan(50)
  })

  test('goes on with the readers that are left, and counts for one of them', async () => {
    const { share, source } = open(2)
    const first = read(share.branch(reader('first')))
    const second = read(share.branch(reader('second')))
    await first.next()
    await first.cancel()
    expect(paying).toEqual(['second'])
    expect(await second.all()).toBe(2 * MIB)
    expect(source.cancelled).toBe(false)
  })

  test('ends when the last of its readers goes, whatever it waited for', async () => {
    const { share, source, clock } = open(64)
    const fast = read(share.branch(reader('fast')))
    const slow = read(share.branch(reader('slow')))
    const reading = fast.all().catch(() => 0)
    await clock.advance(20)
    await fast.cancel()
    await reading
    await clock.advance(1000)
    expect(asked).toEqual([])
    expect(source.cancelled).toBe(false)
    await slow.cancel()
    expect(source.cancelled).toBe(true)
  })

  test('cannot be joined once its beginning is gone', async () => {
    const { share } = open(2)
    const first = read(share.branch(reader('first')))
    await first.next()
    expect(share.branch(reader('late'))).toBeNull()
  })
})

/** Moves time on until a stream is read; returns how long that took. */
async function over(clock: TestClock, reading: Promise<number>): Promise<number> {
  const startedAtMs = clock.monotonicMs()
  let isOver = false
  void reading.finally(() => {
    isOver = true
  })
  while (!isOver) await clock.advance(1)
  expect(await reading).toBeGreaterThan(0)
  return clock.monotonicMs() - startedAtMs
}

let asked: string[] = []
let paying: string[] = []

function open(mib: number) {
  asked = []
  paying = []
  const clock = testClock()
  const source = { sentBytes: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (source.sentBytes === mib * MIB) return controller.close()
        source.sentBytes += CHUNK_BYTES
        controller.enqueue(new Uint8Array(CHUNK_BYTES))
      },
      cancel() {
        source.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { share: shareStream(clock, stream), clock, source }
}

function reader(name: string): BranchReader {
  return {
    pays: () => void paying.push(name),
    askAgain() {
      asked.push(name)
      return new Promise(() => {})
    },
  }
}

function read(stream: ReadableStream<Uint8Array> | null) {
  const reader = stream?.getReader()
  if (!reader) throw new Error('no branch')
  const next = async () => (await reader.read()).value?.length ?? 0
  return {
    next,
    async all() {
      let bytes = 0
      for (let more = await next(); more > 0; more = await next()) bytes += more
      return bytes
    },
    cancel: () => reader.cancel(),
  }
}
