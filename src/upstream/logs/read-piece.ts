import { Failure } from '../../core/errors.ts'
import { type LogPiece, pieceParams } from '../../core/logs/log-filter.ts'
import { type LogList, mergeLogLists, NO_LOGS, readLogList } from '../../core/logs/log-list.ts'
import { lowerLimit } from '../../core/logs/log-span.ts'
import { blocksIn, splitBlocksTo, splitKeys } from '../../core/logs/split-piece.ts'
import type { Upstream } from '../node/upstream.ts'
import { type AskedLogs, askForLogs } from './ask-for-logs.ts'
import { checkLogs } from './check-logs.ts'
import { bytesMaxOf, LogError, type LogReading, noteAnswered, refusedHere } from './log-reading.ts'
import { longestSpan } from './log-service.ts'

export type ReadPiece =
  | { kind: 'logs'; list: LogList }
  | { kind: 'cached'; text: string }
  | { kind: 'split'; pieces: readonly LogPiece[] }

/** Attempts at a piece, each of which may go through all upstreams. */
const ATTEMPTS_MAX = 3

const TOO_MANY = 'eth_getLogs: nodes give so few logs at once that this takes too many pieces.'

/** The parts of a piece that took too long. */
const TIMED_OUT_PARTS = 4

/**
 * Reads one piece. `isSettled`: no reorganisation reaches its blocks, so that two upstreams must
 * agree about them. Throws a LogError or a Failure when it cannot be had.
 */
export async function readPiece(
  reading: LogReading,
  piece: LogPiece,
  isSettled: boolean,
): Promise<ReadPiece> {
  const { head, service } = reading
  const isFinal = head.finalized !== null && piece.to <= head.finalized
  const key = isFinal ? `logs ${JSON.stringify(pieceParams(piece))}` : ''
  const cached = isFinal ? service.immutable.get(key) : undefined
  if (cached) {
    if (!reading.answered.has(cached.upstream)) reading.answered.set(cached.upstream, 0)
    return { kind: 'cached', text: cached.text }
  }
  reading.piecesLeft--
  if (reading.piecesLeft < 0) throw refusedHere(TOO_MANY)
  const asked = await askAgain(reading, piece, isSettled ? null : reading.pinned)
  if (asked.kind === 'error') throw new LogError(asked.error, asked.upstream)
  if (asked.kind === 'refused') return onRefusal(reading, piece, isSettled, asked)
  const { list, upstream } = asked
  if (!isSettled) {
    noteAnswered(reading, upstream, list)
    return { kind: 'logs', list }
  }
  const checked = await checkLogs(reading, piece, list, upstream)
  if (!checked) return { kind: 'split', pieces: splitBlocksTo(piece, blocksIn(piece)) ?? [] }
  // An empty list that nobody confirmed may be that of a node which is still indexing.
  if (isFinal && (checked.isSure || checked.list.marks.length > 0)) {
    service.immutable.set(key, { text: checked.list.text, upstream })
  }
  return { kind: 'logs', list: checked.list }
}

async function readWhole(
  reading: LogReading,
  piece: LogPiece,
  isSettled: boolean,
): Promise<LogList[]> {
  const read = await readPiece(reading, piece, isSettled)
  if (read.kind === 'logs') return [read.list]
  if (read.kind === 'cached') return [cachedList(read.text, piece)]
  const lists: LogList[] = []
  for (const part of read.pieces) lists.push(...(await readWhole(reading, part, isSettled)))
  return lists
}

/** The cache has what was checked before it got there. */
function cachedList(text: string, piece: LogPiece): LogList {
  const whole = `[${text}]`
  return readLogList(whole, JSON.parse(whole), piece) ?? NO_LOGS
}

async function askAgain(
  reading: LogReading,
  piece: LogPiece,
  from: Upstream | null,
): Promise<AskedLogs> {
  const { service, call } = reading
  const question = { params: pieceParams(piece), range: piece, bytesMax: bytesMaxOf(piece) }
  for (let attempt = 1; ; attempt++) {
    try {
      return await askForLogs(service, call, { ...question, from })
    } catch (thrown) {
      const isLast = attempt >= ATTEMPTS_MAX || reading.isStopped
      if (isLast || !(thrown instanceof Failure)) throw thrown
    }
  }
}

async function onRefusal(
  reading: LogReading,
  piece: LogPiece,
  isSettled: boolean,
  { refusal, last, upstream }: Extract<AskedLogs, { kind: 'refused' }>,
): Promise<ReadPiece> {
  reading.refusalsLeft--
  if (refusal.kind === 'time') reading.timeoutsLeft--
  const isOver = reading.refusalsLeft < 0 || reading.timeoutsLeft < 0 || reading.isStopped
  const byKeys = refusal.kind === 'keys' ? splitKeys(piece) : null
  const blocksMax = blocksWanted(reading, piece, refusal)
  const parts = isOver || byKeys ? null : splitBlocksTo(piece, blocksMax)
  if (parts) {
    reading.span = Math.min(reading.span, blocksMax)
    if (refusal.kind === 'time') reading.spanMax = Math.min(reading.spanMax, blocksMax)
    return { kind: 'split', pieces: parts }
  }
  const halves = isOver ? null : (byKeys ?? splitKeys(piece))
  if (halves) {
    const lists = await Promise.all(halves.map((half) => readWhole(reading, half, isSettled)))
    return { kind: 'logs', list: mergeLogLists(lists.flat()) }
  }
  if (last instanceof Failure) throw last
  throw new LogError(last, upstream)
}

/** The length of the pieces after a refusal. */
function blocksWanted(
  { service }: LogReading,
  piece: LogPiece,
  { kind, blocks: said }: Extract<AskedLogs, { kind: 'refused' }>['refusal'],
): number {
  const blocks = blocksIn(piece)
  if (kind === 'range') {
    const longest = longestSpan(service)
    return longest < blocks ? longest : (said ?? lowerLimit(blocks))
  }
  const wanted = said ?? blocks / (kind === 'time' ? TIMED_OUT_PARTS : 2)
  // Pieces of like lengths are found again in the cache.
  return 2 ** Math.floor(Math.log2(Math.max(1, wanted)))
}
