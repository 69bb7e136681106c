import { describe, expect, test } from 'bun:test'
import { guardStream } from './guard-stream.ts'

describe('a guarded stream', () => {
  test('brings the same bytes and tells once that it ended', async () => {
    const { guarded, told } = guard(['a', 'b', 'c'])
    expect(await new Response(guarded).text()).toBe('abc')
    expect(told.ended).toBe(1)
    expect(told.waiting).toBe(false)
  })

  test('tells that it waits while bytes are asked for and none have come', async () => {
    const { guarded, told, controller } = guard([], { endless: true })
    const read = guarded.getReader().read()
    await Bun.sleep(0)
    expect(told).toEqual({ waiting: true, ended: 0 })
    controller().enqueue(new Uint8Array([1]))
    await read
    expect(told.ended).toBe(0)
  })

  test('is pulled only as it is read', async () => {
    let pulled = 0
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(1024))
        },
      },
      { highWaterMark: 0 },
    )
    const guarded = guardStream(source, { waiting() {}, arrived() {}, ended() {} })
    const reader = guarded.getReader()
    for (let read = 0; read < 5; read++) await reader.read()
    await Bun.sleep(5)
    expect(pulled).toBeLessThanOrEqual(7)
    await reader.cancel()
  })

  test('that breaks tells that it ended and hands on the break', async () => {
    const { guarded, told, controller } = guard(['a'], { endless: true })
    const reader = guarded.getReader()
    await reader.read()
    controller().error(new Error('broken'))
    await expect(reader.read()).rejects.toThrow('broken')
    expect(told).toEqual({ waiting: false, ended: 1 })
  })

  test('that is given up tells that it ended, once, and gives its source up', async () => {
    const { guarded, told, cancelled } = guard(['a'], { endless: true })
    const reader = guarded.getReader()
    await reader.read()
    await reader.cancel()
    expect(told).toEqual({ waiting: false, ended: 1 })
    expect(cancelled()).toBe(true)
  })
})

function guard(texts: readonly string[], { endless = false } = {}) {
  const told = { waiting: false, ended: 0 }
  let source: ReadableStreamDefaultController<Uint8Array> | null = null
  let wasCancelled = false
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      if (!endless) controller.close()
    },
    cancel() {
      wasCancelled = true
    },
  })
  const guarded = guardStream(stream, {
    waiting: () => {
      told.waiting = true
    },
    arrived: () => {
      told.waiting = false
    },
    ended: () => {
      told.ended++
    },
  })
  return {
    guarded,
    told,
    cancelled: () => wasCancelled,
    controller: () => source as unknown as ReadableStreamDefaultController<Uint8Array>,
  }
}
