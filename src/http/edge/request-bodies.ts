import { openTurnQueue } from '../../core/async/turn-queue.ts'
import { Rejection } from '../../core/errors.ts'
import { NO_PLACE, openInFlight, type Placed } from '../../core/in-flight.ts'
import type { Clock } from '../../ports/clock.ts'

type Needs = {
  clock: Pick<Clock, 'monotonicMs' | 'every'>
  /** Bounds all bodies that are being received, together. */
  bytesMax: number
  /** From the end of the headers to the end of the body; read each time, as a reload changes it. */
  deadlineMs: number
  /** Bounds each of them; 2.5 MiB where nothing is said. */
  bodyBytesMax?: number
}

export type RequestBodies = {
  /** The whole body as text; empty when there is none. */
  text(request: Request): Promise<string | Rejection>
}

export type ByteBodies = {
  bytes(request: Request): Promise<Uint8Array | Rejection>
}

type SmallSender = Placed & { startedAtMs: number; client: { cut(): void } }

/**
 * The deadline for small bodies of calls, which their route reads by itself. Hot path: no
 * promise but that of the body, so a client that is too slow is disconnected without an answer.
 */
export type SmallBodies = {
  begun(sender: SmallSender): void
  ended(sender: SmallSender): void
  /** Calls back once the other bodies of this turn of the event loop have arrived. */
  inTurn(goOn: () => void): void
}

type Finish<T> = (bytes: Uint8Array) => T | Rejection

type Wait = Placed & { dueAtMs: number; giveUp(): void }

export const BODY_BYTES_MAX = 2.5 * 1024 * 1024

/**
 * Bodies up to here mostly come with their headers and are not counted: connections are
 * limited, and so is what they can hold in this way.
 */
export const UNCOUNTED_BYTES_MAX = 8 * 1024

const CHECK_EVERY_MS = 1000

const SERVED_TOGETHER_MAX = 64

/** Throws at bytes that are not UTF-8; drops a byte order mark. */
const DECODER = new TextDecoder('utf-8', { fatal: true })

export function openRequestBodies(needs: Needs): RequestBodies & ByteBodies {
  const inTime = openInTime(needs)
  const { bodyBytesMax = BODY_BYTES_MAX } = needs
  let heldBytes = 0

  const takeRoom = (bytes: number): boolean => {
    if (heldBytes + bytes > needs.bytesMax) return false
    heldBytes += bytes
    return true
  }

  const sized = <T>(request: Request, bytes: number, finish: Finish<T>): Promise<T | Rejection> => {
    const counted = bytes > UNCOUNTED_BYTES_MAX ? bytes : 0
    if (counted > 0 && !takeRoom(counted)) return Promise.resolve(crowded())
    const release = () => {
      heldBytes -= counted
    }
    return inTime(request.bytes(), release, null, finish)
  }

  const unsized = <T>(
    body: ReadableStream<Uint8Array>,
    finish: Finish<T>,
  ): Promise<T | Rejection> => {
    const reader = body.getReader()
    let counted = 0
    const grow = (bytes: number) => {
      const taken = takeRoom(bytes)
      if (taken) counted += bytes
      return taken
    }
    const release = () => {
      heldBytes -= counted
      counted = 0
    }
    const cut = () => void reader.cancel().catch(() => {})
    return inTime(readChunks(reader, grow, bodyBytesMax), release, cut, finish)
  }

  const read = <T>(request: Request, finish: Finish<T>): Promise<T | Rejection> => {
    const declared = request.headers.get('content-length')
    if (declared === null) {
      return request.body ? unsized(request.body, finish) : Promise.resolve(finish(NOTHING))
    }
    const bytes = Number(declared)
    return bytes <= bodyBytesMax
      ? sized(request, bytes, finish)
      : Promise.resolve(tooLarge(bodyBytesMax))
  }
  return {
    text: (request) => read(request, decodeText),
    bytes: (request) => read(request, (bytes) => bytes),
  }
}

const NOTHING = new Uint8Array(0)

type InTime = <T>(
  read: Promise<Uint8Array | Rejection>,
  release: () => void,
  cut: (() => void) | null,
  finish: Finish<T>,
) => Promise<T | Rejection>

/** Gives up bodies that take too long. Hot path: one promise each, and one timer for all. */
function openInTime(needs: Needs): InTime {
  const { clock } = needs
  const isLate = ({ dueAtMs }: Wait, nowMs: number) => nowMs >= dueAtMs
  const waits = openDeadlines<Wait>(clock, isLate, (wait) => wait.giveUp())

  return (read, release, cut, finish) =>
    new Promise((resolve) => {
      const wait = {
        place: NO_PLACE,
        dueAtMs: clock.monotonicMs() + needs.deadlineMs,
        giveUp() {
          release()
          cut?.()
          resolve(tooSlow())
        },
      }
      waits.add(wait)
      const end = (body: Uint8Array | Rejection) => {
        // A body that was given up has released its room already.
        if (waits.remove(wait)) release()
        resolve(body instanceof Rejection ? body : finish(body))
      }
      read.then(end, () => end(brokeOff()))
    })
}

export function openSmallBodies(
  clock: Pick<Clock, 'monotonicMs' | 'every' | 'after'>,
  deadlineMs: () => number,
): SmallBodies {
  const isLate = ({ startedAtMs }: SmallSender, nowMs: number) =>
    nowMs >= startedAtMs + deadlineMs()
  const senders = openDeadlines(clock, isLate, ({ client }) => client.cut())
  const atTurnEnd = (work: () => void) => void clock.after(0, work)
  const turn = openTurnQueue<() => void>(atTurnEnd, SERVED_TOGETHER_MAX, (goOn) => goOn())
  return { begun: senders.add, ended: senders.remove, inTurn: turn.add }
}

export function isSmall(request: Request): boolean {
  const declared = request.headers.get('content-length')
  return declared !== null && Number(declared) <= UNCOUNTED_BYTES_MAX
}

/** Gives up what is late. */
function openDeadlines<Waiting extends Placed>(
  clock: Needs['clock'],
  isLate: (one: Waiting, nowMs: number) => boolean,
  giveUp: (one: Waiting) => void,
) {
  const waiting = openInFlight<Waiting>()
  let stopChecking: (() => void) | null = null

  const check = () => {
    const nowMs = clock.monotonicMs()
    for (const one of waiting.list()) {
      if (!isLate(one, nowMs)) continue
      waiting.remove(one)
      giveUp(one)
    }
    if (waiting.size > 0) return
    stopChecking?.()
    stopChecking = null
  }

  return {
    add(one: Waiting) {
      waiting.add(one)
      stopChecking ??= clock.every(CHECK_EVERY_MS, check)
    },
    /** False for one that was given up. */
    remove: waiting.remove,
  }
}

export function isJsonType(mediaType: string): boolean {
  // Hot path: what nearly every client sends.
  if (mediaType === 'application/json') return true
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase()
  return essence === 'application/json' || essence.endsWith('+json')
}

/** True when a body is refused while more of it comes: its connection is of no further use. */
export function endsConnection({ code }: Rejection): boolean {
  return code === 'request_timeout' || code === 'overloaded'
}

type Reader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** The body, whole or refused: nothing over the limit is held. */
async function readChunks(
  reader: Reader,
  grow: (bytes: number) => boolean,
  bytesMax: number,
): Promise<Uint8Array | Rejection> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !value) return Buffer.concat(chunks)
    bytes += value.byteLength
    const refusal =
      bytes > bytesMax ? tooLarge(bytesMax) : grow(value.byteLength) ? null : crowded()
    if (refusal) {
      reader.cancel().catch(() => {})
      return refusal
    }
    chunks.push(value)
  }
}

export function decodeText(bytes: Uint8Array): string | Rejection {
  try {
    return DECODER.decode(bytes)
  } catch {
    return new Rejection('parse_error', 'Parse error: the body is not UTF-8.')
  }
}

/** The client hung up. Nobody will read this, but it is no failure of ours to be logged. */
export function brokeOff(): Rejection {
  return new Rejection('parse_error', 'The body broke off before its end.')
}

function tooLarge(bytesMax: number): Rejection {
  return new Rejection('too_large', `The body is over ${bytesMax} bytes.`)
}

function tooSlow(): Rejection {
  return new Rejection('request_timeout', 'The body took too long to arrive.')
}

function crowded(): Rejection {
  const text = 'Too many large requests are being received at the moment; please try again.'
  return new Rejection('overloaded', text, { retryAfterS: 1 })
}
