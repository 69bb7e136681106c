import { errorText, Failure } from '../../core/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own.
type Offered = Record<string, (...args: any[]) => unknown>

type Fault = { message: string; code: string }

/**
 * Requests one after the other: each is its id, its name, the number of its arguments, and these.
 * Hot path: a flat list of texts and numbers travels at a fraction of the price of objects.
 */
type Requests = unknown[]

/** Replies one after the other: each is the id of its request, its fault and its value. */
type Replies = unknown[]

type Reply = { value: unknown; fault: Fault | null }

export class ThreadFault extends Error {
  readonly code: string

  constructor({ message, code }: Fault) {
    super(message)
    this.code = code
  }
}

export type ThreadCalls<Functions extends Offered> = {
  /** Buffers of `transfer` change hands instead of being copied. */
  call<Name extends keyof Functions & string>(
    name: Name,
    args: Parameters<Functions[Name]>,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Awaited<ReturnType<Functions[Name]>>>
  /** Ends the thread at once. Calls that wait fail, and so do all later ones. */
  end(): void
  close(): Promise<void>
}

type Port<Sent, Received> = {
  postMessage(message: Sent, transfer: ArrayBuffer[]): void
  onmessage: ((event: MessageEvent<Received>) => void) | null
}

type ThreadWorker = Port<Requests, Replies> & {
  addEventListener(event: 'error' | 'close', listener: () => void): void
  terminate(): void
}

const REPLY_VALUES = 3

const ENDED: Fault = { message: 'the thread has ended', code: 'thread_ended' }

/**
 * Calls functions of another thread. Calls made in one go travel in one message, and so do their
 * replies: to wake a thread costs more than many a call. A call that must not wait for the
 * replies of others is made alone (`grouped: false`).
 */
export function openThreadCalls<Functions extends Offered>(
  worker: ThreadWorker,
  { grouped }: { grouped: boolean },
): ThreadCalls<Functions> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let isOver = false
  let unsent: Requests = []
  let unsentIds: number[] = []
  let unsentBuffers: ArrayBuffer[] = []

  worker.onmessage = ({ data: replies }) => {
    for (let at = 0; at < replies.length; at += REPLY_VALUES) {
      const id = replies[at] as number
      const fault = replies[at + 1] as Fault | null
      const one = waiting.get(id)
      waiting.delete(id)
      if (fault) one?.reject(new ThreadFault(fault))
      else one?.resolve(replies[at + 2])
    }
  }
  const end = () => {
    isOver = true
    worker.terminate()
    for (const one of waiting.values()) one.reject(new ThreadFault(ENDED))
    waiting.clear()
  }
  worker.addEventListener('error', end)
  // A thread may also end without an error, as by an exit of its own.
  worker.addEventListener('close', end)

  const send = () => {
    const [requests, ids, buffers] = [unsent, unsentIds, unsentBuffers]
    unsent = []
    unsentIds = []
    unsentBuffers = []
    if (isOver) return
    try {
      worker.postMessage(requests, buffers)
    } catch (thrown) {
      // Some argument cannot be copied, and with it nothing of the message was sent.
      for (const id of ids) {
        waiting.get(id)?.reject(thrown)
        waiting.delete(id)
      }
    }
  }
  const call = (name: string, args: readonly unknown[], transfer: readonly ArrayBuffer[] = []) => {
    if (isOver) return Promise.reject(new ThreadFault(ENDED))
    const reply = Promise.withResolvers<unknown>()
    const id = ++lastId
    waiting.set(id, reply)
    unsentBuffers.push(...transfer)
    unsent.push(id, name, args.length)
    for (const arg of args) unsent.push(arg)
    if (unsentIds.push(id) > 1) return reply.promise
    if (grouped) queueMicrotask(send)
    else send()
    return reply.promise
  }
  return {
    call: call as ThreadCalls<Functions>['call'],
    end,
    async close() {
      await call('close', []).finally(end)
    },
  }
}

type Serving = {
  /** Buffers of a value that change hands instead of being copied. */
  transferOf?(value: unknown): ArrayBuffer[]
  /** Decides when the replies to a group of calls go out: all of them, or the fault instead. */
  release?(names: readonly string[], send: (fault: Fault | null) => void): void
}

/** Answers the calls of another thread, one after the other in the order they were made. */
export function serveThreadCalls(
  port: Port<Replies, Requests>,
  offered: Offered,
  { transferOf, release = (_names, send) => send(null) }: Serving = {},
): void {
  let last: Promise<void> = Promise.resolve()
  port.onmessage = ({ data: requests }) => {
    last = last.then(async () => {
      const ids: number[] = []
      const names: string[] = []
      const replies: Reply[] = []
      for (let at = 0; at < requests.length; ) {
        const [id, name, count] = requests.slice(at, at + 3) as [number, string, number]
        at += 3 + count
        const reply = replyTo(offered, name, requests.slice(at - count, at))
        ids.push(id)
        names.push(name)
        // Hot path: most functions have their value at once.
        replies.push(reply instanceof Promise ? await reply : reply)
      }
      release(names, (fault) => post(ids, fault ? replies.map(() => failed(fault)) : replies))
    })
  }
  const post = (ids: readonly number[], replies: readonly Reply[]) => {
    try {
      const transfer = transferOf ? replies.flatMap(({ value }) => transferOf(value)) : []
      port.postMessage(listOf(ids, replies), transfer)
    } catch (thrown) {
      // Some value cannot be copied; its caller must not wait for ever.
      const fault = faultOf(thrown)
      port.postMessage(listOf(ids, Array(ids.length).fill(failed(fault))), [])
    }
  }
}

function listOf(ids: readonly number[], replies: readonly Reply[]): Replies {
  return replies.flatMap(({ fault, value }, at) => [ids[at], fault, value])
}

function failed(fault: Fault): Reply {
  return { value: null, fault }
}

function replyTo(offered: Offered, name: string, args: unknown[]): Reply | Promise<Reply> {
  const failure = (thrown: unknown) => failed(faultOf(thrown))
  try {
    const work = Object.hasOwn(offered, name) ? offered[name] : undefined
    if (!work) throw new Error(`this thread does not offer ${name}`)
    const value = work(...args)
    if (!(value instanceof Promise)) return { value, fault: null }
    return value.then((later) => ({ value: later, fault: null }), failure)
  } catch (thrown) {
    return failure(thrown)
  }
}

function faultOf(thrown: unknown): Fault {
  return { message: errorText(thrown), code: codeOf(thrown) }
}

/** The code as its source names it, also where that was turned into a failure on the way. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof Failure) return String(thrown.facts.code ?? thrown.code)
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
