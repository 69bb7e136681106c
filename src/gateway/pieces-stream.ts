import type { ReaderWatch, Reading } from './reader-watch.ts'

export type Piece = string | Uint8Array | ReadableStream<Uint8Array>

export type HeldAnswer = { pieces: readonly Uint8Array[] }

export function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

export type Sending = {
  watch: ReaderWatch
  /** True while few requests are open, so that they cannot leave much unread. */
  isQuiet(): boolean
  /** Ends the connection of a client that takes nothing. */
  cut(): void
  /** Called once, when everything was taken or nothing more will be. */
  ended(): void
}

type Reader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Held bytes are handed over in slices, so that little of them is held twice. */
const SLICE_BYTES = 256 * 1024

/** The pieces one behind the other, pulled only as fast as the client reads. */
export function piecesStream(pieces: Piece[], sending: Sending): ReadableStream<Uint8Array> {
  const { watch } = sending
  const source = openSource(pieces)
  let isOver = false

  const end = () => {
    if (isOver) return
    isOver = true
    watch.remove(reading)
    source.drop()
    sending.ended()
  }

  const reading: Reading = {
    idleSinceMs: Number.POSITIVE_INFINITY,
    onStuck() {
      end()
      sending.cut()
    },
  }

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    reading.idleSinceMs = Number.POSITIVE_INFINITY
    try {
      const bytes = isOver ? null : await source.next()
      if (isOver) throw new Error('the client took too long')
      if (bytes) {
        reading.idleSinceMs = watch.nowMs()
        return controller.enqueue(bytes)
      }
      end()
      controller.close()
    } catch (thrown) {
      // The client sees its connection break, never a short answer that looks whole.
      end()
      controller.error(thrown)
    }
  }

  watch.add(reading)
  return new ReadableStream<Uint8Array>({ pull, cancel: end }, { highWaterMark: 0 })
}

/** The same for a reader that is a process of ours, which watches the client itself. */
export function unwatchedStream(pieces: Piece[]): ReadableStream<Uint8Array> {
  const source = openSource(pieces)
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const bytes = await source.next()
    if (bytes) controller.enqueue(bytes)
    else controller.close()
  }
  return new ReadableStream<Uint8Array>({ pull, cancel: source.drop }, { highWaterMark: 0 })
}

/** Gives up what nobody will read: an unread stream would hold its upstream. */
export function drop(piece: Piece | HeldAnswer): void {
  if (piece instanceof ReadableStream) piece.cancel().catch(() => {})
}

function openSource(pieces: Piece[]) {
  const encoder = new TextEncoder()
  let reader: Reader | null = null
  let held: Uint8Array | null = null
  let heldFrom = 0

  const nextSlice = (): Uint8Array | null => {
    if (!held) return null
    const slice = held.subarray(heldFrom, heldFrom + SLICE_BYTES)
    heldFrom += slice.length
    if (heldFrom >= held.length) held = null
    return slice
  }

  const next = async (): Promise<Uint8Array | null> => {
    for (;;) {
      const slice = nextSlice()
      if (slice) return slice
      if (reader) {
        const { done, value } = await reader.read()
        if (!done && value) return value
        reader = null
      }
      const piece = pieces.shift()
      if (piece === undefined) return null
      if (typeof piece === 'string') return encoder.encode(piece)
      if (piece instanceof ReadableStream) {
        reader = piece.getReader()
      } else {
        held = piece
        heldFrom = 0
      }
    }
  }

  return {
    next,
    drop() {
      held = null
      reader?.cancel().catch(() => {})
      for (const piece of pieces.splice(0)) drop(piece)
    },
  }
}
