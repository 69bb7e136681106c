import { Failure } from '../../core/errors.ts'
import type { BlockRange, LogPiece } from '../../core/logs/log-filter.ts'
import type { LogMark } from '../../core/logs/log-list.ts'
import { blocksIn, pieceEnd } from '../../core/logs/split-piece.ts'
import type { LogReading } from './log-reading.ts'
import { longestSpan } from './log-service.ts'
import { type ReadPiece, readPiece } from './read-piece.ts'

/** The text of a piece, and where its logs stand if blocks may still be replaced. */
type PieceText = { text: string; marks: readonly LogMark[] }

type Slot = { piece: LogPiece; state: 'waiting' | 'asked' | 'read'; read: PieceText }

type Pieces = {
  reading: LogReading
  /** No reorganisation reaches the range. */
  isSettled: boolean
  /** In the order of their blocks, from the next that the client gets. */
  slots: Slot[]
  /** The first block that no slot has yet, and the last one of the range. */
  cursor: number
  to: number
  inFlight: number
  aheadChars: number
  smallInARow: number
  failure: unknown
  wake(): void
}

const PIECES_IN_FLIGHT = 4
/** Read ahead of the client, in all and in pieces. */
const AHEAD_CHARS_MAX = 4 * 2 ** 20
const AHEAD_PIECES_MAX = 64

/** Pieces stay between these sizes, as far as nodes go along. */
const SMALL_CHARS = 256 * 1024
const LARGE_CHARS = 1024 * 1024
/** After so many small pieces the next ones are twice as long. */
const SMALL_IN_A_ROW = 4

const NOTHING: PieceText = { text: '', marks: [] }

/** The logs of a range, piece by piece in order, while later pieces are under way. */
export function openLogPieces(reading: LogReading, range: BlockRange, isSettled: boolean) {
  const pieces: Pieces = {
    reading,
    isSettled,
    slots: [],
    cursor: range.from,
    to: range.to,
    inFlight: 0,
    aheadChars: 0,
    smallInARow: 0,
    failure: undefined,
    wake: () => {},
  }
  return { next: () => nextText(pieces) }
}

/** Null at the end. Throws what made a piece fail. */
async function nextText(pieces: Pieces): Promise<PieceText | null> {
  const { slots, reading } = pieces
  for (;;) {
    fill(pieces)
    if (pieces.failure !== undefined) throw pieces.failure
    if (reading.isStopped) throw new Failure('upstream_unreachable', { reason: 'stopped' })
    const [first] = slots
    if (!first) return null
    if (first.state === 'read') {
      slots.shift()
      pieces.aheadChars -= first.read.text.length
      fill(pieces)
      return first.read
    }
    await new Promise<void>((resolve) => {
      pieces.wake = resolve
    })
  }
}

function fill(pieces: Pieces): void {
  const { slots, reading } = pieces
  const isHeldUp = () => reading.isStopped || reading.isPaused || pieces.failure !== undefined
  while (pieces.inFlight < PIECES_IN_FLIGHT && !isHeldUp()) {
    const slot = slots.find(({ state }) => state === 'waiting') ?? nextSlot(pieces)
    // The piece that the client waits for is asked for in any case.
    if (!slot || (pieces.aheadChars >= AHEAD_CHARS_MAX && slot !== slots[0])) return
    void start(pieces, slot)
  }
}

function nextSlot(pieces: Pieces): Slot | null {
  const { slots, reading, cursor } = pieces
  if (cursor > pieces.to || slots.length >= AHEAD_PIECES_MAX) return null
  const blocks = Math.max(1, Math.min(reading.span, longestSpan(reading.service)))
  const to = blocks < Number.POSITIVE_INFINITY ? pieceEnd(cursor, blocks, pieces.to) : pieces.to
  const slot = waiting({ ...reading.keys, from: cursor, to })
  pieces.cursor = to + 1
  slots.push(slot)
  return slot
}

async function start(pieces: Pieces, slot: Slot): Promise<void> {
  slot.state = 'asked'
  pieces.inFlight++
  try {
    settle(pieces, slot, await readPiece(pieces.reading, slot.piece, pieces.isSettled))
  } catch (thrown) {
    pieces.failure ??= thrown
  }
  pieces.inFlight--
  fill(pieces)
  pieces.wake()
}

function settle(pieces: Pieces, slot: Slot, read: ReadPiece): void {
  const { slots, reading, isSettled } = pieces
  const { telemetry, network } = reading.service
  const outcome = read.kind === 'logs' ? 'read' : read.kind
  telemetry.count('headgate_log_pieces_total', { network: network.id, outcome })
  if (read.kind === 'split') {
    slots.splice(slots.indexOf(slot), 1, ...read.pieces.map(waiting))
    pieces.smallInARow = 0
    return
  }
  const text = read.kind === 'logs' ? read.list.text : read.text
  const marks = read.kind === 'logs' && !isSettled ? read.list.marks : []
  slot.state = 'read'
  slot.read = { text, marks }
  pieces.aheadChars += text.length
  if (text.length > LARGE_CHARS) {
    reading.span = Math.min(reading.span, Math.ceil(blocksIn(slot.piece) / 2))
  }
  pieces.smallInARow = text.length < SMALL_CHARS ? pieces.smallInARow + 1 : 0
  if (pieces.smallInARow < SMALL_IN_A_ROW) return
  pieces.smallInARow = 0
  reading.span = Math.min(reading.span * 2, reading.spanMax)
}

function waiting(piece: LogPiece): Slot {
  return { piece, state: 'waiting', read: NOTHING }
}
