import type { ServerSocket } from './socket-handlers.ts'

export type Outgoing = {
  opened(socket: ServerSocket): void
  /** Sends a frame of so many bytes; false: too much waits for the client already. */
  send(text: string, bytes: number): boolean
  /** Sends an answer that may be larger than all that else may wait. Only while nothing waits. */
  sendLarge(text: string, bytes: number): void
  waitingBytes(): number
  /** Resolves when nothing waits any more, or the socket is closed. */
  drained(): Promise<void>
  noteDrain(): void
  /** Says goodbye behind all that waits; nothing is sent after it. */
  close(code: number, reason: string): void
  terminate(): void
}

/** Sends the frames of many connections, each one's together. */
export type FrameFlusher = { add(flush: () => void): void }

/** A client that leaves more unread is cut. */
const WAITING_BYTES_MAX = 1024 * 1024

/** More bytes of one turn are handed over before its end, to learn what the client takes. */
const TURN_BYTES_MAX = 64 * 1024

/**
 * Frames that are sent in one turn of the event loop leave at its end, those of a connection with
 * one system call.
 */
export function openFrameFlusher(): FrameFlusher {
  let waiting: (() => void)[] = []
  const flushAll = () => {
    const all = waiting
    waiting = []
    for (const flush of all) flush()
  }
  return {
    add(flush) {
      if (waiting.push(flush) === 1) queueMicrotask(flushAll)
    },
  }
}

/** `flushed` is called whenever frames were handed to the socket. */
export function openOutgoing(flusher: FrameFlusher, flushed: () => void): Outgoing {
  let socket: ServerSocket | null = null
  let frames: string[] = []
  let frameBytes = 0
  /** The bytes of a large answer under way, which do not count against what else may wait. */
  let largeBytes = 0
  let listeners: (() => void)[] = []
  let isClosed = false

  const waitingBytes = () => (isClosed ? 0 : frameBytes + (socket?.getBufferedAmount() ?? 0))

  const flush = () => {
    const all = frames
    frames = []
    frameBytes = 0
    if (socket) write(socket, all)
    noteDrain()
    flushed()
  }

  const noteDrain = () => {
    if (waitingBytes() > 0) return
    largeBytes = 0
    const told = listeners
    listeners = []
    for (const tell of told) tell()
  }

  const push = (text: string, bytes: number) => {
    frameBytes += bytes
    if (frames.push(text) === 1) flusher.add(flush)
  }

  return {
    opened(given) {
      socket = given
    },
    send(text, bytes) {
      if (isClosed) return true
      if (frameBytes + bytes > TURN_BYTES_MAX) flush()
      const waits = waitingBytes()
      if (waits > 0 && waits - largeBytes + bytes > WAITING_BYTES_MAX) return false
      push(text, bytes)
      return true
    },
    sendLarge(text, bytes) {
      if (isClosed) return
      largeBytes = bytes
      push(text, bytes)
    },
    waitingBytes,
    drained: () =>
      waitingBytes() === 0 ? Promise.resolve() : new Promise((tell) => listeners.push(tell)),
    noteDrain,
    close(code, reason) {
      if (isClosed) return
      flush()
      isClosed = true
      socket?.close(code, reason)
      noteDrain()
    },
    terminate() {
      isClosed = true
      frames = []
      socket?.terminate()
      noteDrain()
    },
  }
}

/** Dropped without a word once the client is gone, which the runtime tells. */
function write(socket: ServerSocket, frames: readonly string[]): void {
  const [only] = frames
  if (frames.length === 1 && only !== undefined) socket.send(only)
  else if (frames.length > 1) socket.cork(() => frames.forEach((frame) => void socket.send(frame)))
}
