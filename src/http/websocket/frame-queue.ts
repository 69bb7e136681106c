import { Rejection } from '../../core/errors.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { Frame } from './serve-frame.ts'

type Needs = {
  methods(): MethodRegistry
  /** Never fails. */
  run(frame: Frame): Promise<void>
  /** False while the client has not taken enough of what it was sent. */
  mayRun(): boolean
}

export type FrameQueue = ReturnType<typeof openFrameQueue>

/** Calls that run at once. A batch of more runs alone. */
const CALLS_MAX = 32

/** Calls whose answers may be large count as several: what a client may leave unread is little. */
const HEAVY_WEIGHT = 8

/** The room for frames that wait, beside one that fills it alone. */
const WAITING_FRAMES_MAX = 512
const WAITING_BYTES_MAX = 1024 * 1024

export function openFrameQueue(needs: Needs) {
  const waiting: { frame: Frame; weight: number }[] = []
  let waitingBytes = 0
  let running = 0
  let runningWeight = 0
  let isClosed = false
  const idlers: (() => void)[] = []

  const start = async (frame: Frame, weight: number) => {
    running++
    runningWeight += weight
    await needs.run(frame)
    running--
    runningWeight -= weight
    wake()
    tellIdle()
  }

  const isIdle = () => running === 0 && waiting.length === 0
  const tellIdle = () => {
    if (isIdle()) for (const tell of idlers.splice(0)) tell()
  }

  const wake = () => {
    for (let next = waiting[0]; next && !isClosed; next = waiting[0]) {
      const fits = running === 0 || runningWeight + next.weight <= CALLS_MAX
      if (!fits || !needs.mayRun()) return
      waiting.shift()
      waitingBytes -= next.frame.bytes
      void start(next.frame, next.weight)
    }
  }

  return {
    /** Returns false when there is no room for the frame. */
    add(frame: Frame) {
      const isFull = waiting.length >= WAITING_FRAMES_MAX || waitingBytes > WAITING_BYTES_MAX
      if (isFull) return false
      waiting.push({ frame, weight: weightOf(needs.methods(), frame) })
      waitingBytes += frame.bytes
      wake()
      return true
    },
    wake,
    /** Starts no more frames. */
    close() {
      isClosed = true
      waiting.length = 0
      tellIdle()
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise<void>((tell) => idlers.push(tell))),
  }
}

function weightOf(methods: MethodRegistry, { body }: Frame): number {
  if (body instanceof Rejection) return 1
  if (Array.isArray(body)) return body.length
  return 'method' in body && methods.find(body.method).heavy ? HEAVY_WEIGHT : 1
}
