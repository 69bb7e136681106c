import { describe, expect, test } from 'bun:test'
import { settled } from '../../../tests/support/basics/test-clock.ts'
import { Failure } from '../../core/errors.ts'
import { openThreadCalls, serveThreadCalls, ThreadFault } from './thread-calls.ts'

type Serving = Parameters<typeof serveThreadCalls>[2]

const CODED = Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' })

const FUNCTIONS = {
  double: (value: number) => value * 2,
  async later(value: number) {
    await settled()
    return value
  },
  fail(thrown: 'coded' | 'failure' | 'plain' | 'nothing'): void {
    if (thrown === 'coded') throw CODED
    if (thrown === 'failure') throw new Failure('database_unavailable', { code: 'SQLITE_BUSY' })
    if (thrown === 'plain') throw new Error('plain')
    throw undefined
  },
  bytes: () => ({ bytes: new Uint8Array([1, 2, 3]) }),
  length: (bytes: Uint8Array) => bytes.length,
  uncopyable: (): unknown => () => 'a function',
}

/** Two ends of a channel in place of a thread's, with the messages that passed. */
function stage(grouped: boolean, serving?: Serving) {
  const { port1, port2 } = new MessageChannel()
  const passed = { requests: 0, replies: 0 }
  const there = {
    postMessage(message: unknown, transfer: ArrayBuffer[]) {
      passed.replies++
      port2.postMessage(message, transfer)
    },
    onmessage: null as ((event: MessageEvent) => void) | null,
  }
  port2.onmessage = (event) => there.onmessage?.(event as MessageEvent)
  const worker = {
    postMessage(message: unknown, transfer: ArrayBuffer[]) {
      passed.requests++
      port1.postMessage(message, transfer)
    },
    onmessage: null as ((event: MessageEvent) => void) | null,
    listeners: new Map<string, () => void>(),
    addEventListener: (event: string, listener: () => void) =>
      void worker.listeners.set(event, listener),
    terminate() {
      port1.close()
      port2.close()
    },
  }
  port1.onmessage = (event) => worker.onmessage?.(event as MessageEvent)
  serveThreadCalls(there, FUNCTIONS, serving)
  const calls = openThreadCalls<typeof FUNCTIONS>(worker, { grouped })
  return { ...calls, worker, passed, [Symbol.dispose]: () => calls.end() }
}

const faultOf = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown as ThreadFault)

describe('calls to another thread', () => {
  test('bring what the function returns or resolves with', async () => {
    using on = stage(true)
    expect(await on.call('double', [21])).toBe(42)
    expect(await on.call('later', [7])).toBe(7)
  })

  test('are answered in the order they were made, however long each takes', async () => {
    using on = stage(false)
    const order: number[] = []
    const calls = [on.call('later', [1]), on.call('double', [1]), on.call('later', [3])]
    await Promise.all(calls.map(async (call) => order.push(await call)))
    expect(order).toEqual([1, 2, 3])
  })

  test('made in one go travel together, and so do their replies', async () => {
    using on = stage(true)
    await Promise.all([1, 2, 3].map((value) => on.call('double', [value])))
    expect(on.passed).toEqual({ requests: 1, replies: 1 })
    await on.call('double', [4])
    expect(on.passed).toEqual({ requests: 2, replies: 2 })
  })

  test('travel alone where none may wait for the reply of another', async () => {
    using on = stage(false)
    await Promise.all([1, 2, 3].map((value) => on.call('double', [value])))
    expect(on.passed).toEqual({ requests: 3, replies: 3 })
  })

  test('hand buffers over instead of copying them, both ways', async () => {
    using on = stage(true, {
      transferOf: (value) => {
        const { bytes } = (value ?? {}) as { bytes?: Uint8Array<ArrayBuffer> }
        return bytes ? [bytes.buffer] : []
      },
    })
    const given = new Uint8Array(1_000)
    const [length, read] = await Promise.all([
      on.call('length', [given], [given.buffer]),
      on.call('bytes', []),
    ])
    expect(length).toBe(1_000)
    expect(given.length).toBe(0)
    expect([...read.bytes]).toEqual([1, 2, 3])
  })
})

describe('a call that fails there', () => {
  test.each([
    ['coded', 'SQLITE_FULL', 'the disk is full'],
    ['failure', 'SQLITE_BUSY', 'database_unavailable'],
    ['plain', '', 'plain'],
    ['nothing', '', 'undefined'],
  ] as const)('fails here, with code and message: %s', async (thrown, code, message) => {
    using on = stage(true)
    const fault = await faultOf(on.call('fail', [thrown]))
    expect(fault).toBeInstanceOf(ThreadFault)
    expect(fault).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('leaves the calls beside it unharmed', async () => {
    using on = stage(true)
    const [before, failed, after] = await Promise.allSettled([
      on.call('double', [1]),
      on.call('fail', ['plain']),
      on.call('double', [2]),
    ])
    expect([before.status, failed.status, after.status].join()).toBe('fulfilled,rejected,fulfilled')
  })

  test.each(['missing', 'toString', 'constructor', '__proto__'])(
    'fails when the thread offers nothing of that name: %s',
    async (name) => {
      using on = stage(true)
      const fault = await faultOf(on.call(name as 'double', [1]))
      expect(fault).toMatchObject({ message: `this thread does not offer ${name}` })
    },
  )
})

describe('what cannot be copied from thread to thread', () => {
  test('fails the call that it is an argument of, and the thread goes on', async () => {
    using on = stage(true)
    const ends = await Promise.allSettled([
      on.call('double', [(() => 1) as unknown as number]),
      on.call('double', [1]),
    ])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await on.call('double', [2])).toBe(4)
  })

  test('fails the call that it is the value of, and the thread goes on', async () => {
    using on = stage(true)
    expect(await faultOf(on.call('uncopyable', []))).toBeInstanceOf(ThreadFault)
    expect(await on.call('double', [2])).toBe(4)
  })
})

describe('replies that are held back', () => {
  test('come when they are released, and the next calls are worked on meanwhile', async () => {
    const held: (() => void)[] = []
    const done: string[] = []
    using on = stage(true, {
      release(names, send) {
        done.push(names.join())
        held.push(() => send(null))
      },
    })
    const first = on.call('double', [1])
    await settled()
    await settled()
    const second = on.call('double', [2])
    while (done.length < 2) await settled()
    let isTold = false
    void first.then(() => {
      isTold = true
    })
    await settled()
    expect(isTold).toBe(false)
    for (const send of held) send()
    expect(await Promise.all([first, second])).toEqual([2, 4])
  })

  test('fail together when what was done is not safe', async () => {
    using on = stage(true, {
      release: (_names, send) => send({ message: 'not on the disk', code: 'SQLITE_IOERR' }),
    })
    const ends = await Promise.all([1, 2].map((value) => faultOf(on.call('double', [value]))))
    expect(ends.map((end) => (end as ThreadFault).code)).toEqual(['SQLITE_IOERR', 'SQLITE_IOERR'])
  })
})

describe('a thread that ends', () => {
  test('fails the calls that wait and all that come later', async () => {
    using on = stage(true, { release: () => {} })
    const waits = faultOf(on.call('double', [1]))
    await settled()
    on.worker.listeners.get('error')?.()
    const unsent = faultOf(on.call('double', [2]))
    expect(await waits).toMatchObject({ code: 'thread_ended' })
    expect(await unsent).toMatchObject({ code: 'thread_ended' })
  })

  test('by order fails what was not sent yet as well, and may be ended twice', async () => {
    using on = stage(true)
    const unsent = faultOf(on.call('double', [1]))
    on.end()
    on.end()
    expect(await unsent).toMatchObject({ code: 'thread_ended' })
    expect(on.passed.requests).toBe(0)
  })

  test.each([
    ['crashed', 'throw new Error("crashed")'],
    ['crashed later', 'Promise.reject(new Error("crashed"))'],
    ['left', 'process.exit(0)'],
  ])('because it %s is noticed', async (_title, code) => {
    const script = encodeURIComponent(`self.onmessage = () => { ${code} }`)
    const worker = new Worker(`data:text/javascript,${script}`)
    const calls = openThreadCalls<typeof FUNCTIONS>(worker, { grouped: true })
    expect(await faultOf(calls.call('double', [1]))).toMatchObject({ code: 'thread_ended' })
    expect(await faultOf(calls.call('double', [1]))).toMatchObject({ code: 'thread_ended' })
  })
})
