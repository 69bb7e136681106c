import { Failure } from '../../core/errors.ts'
import { blocksToCheck, looksCutOff } from '../../core/logs/log-evidence.ts'
import { type BlockRange, type LogPiece, pieceParams } from '../../core/logs/log-filter.ts'
import {
  keepLogs,
  type LogList,
  type LogMark,
  mergeLogLists,
  missingIn,
  sameLogs,
} from '../../core/logs/log-list.ts'
import { spanNow } from '../../core/logs/log-span.ts'
import { blocksIn, rangesToCompare } from '../../core/logs/split-piece.ts'
import type { Upstream } from '../node/upstream.ts'
import { askForLogs } from './ask-for-logs.ts'
import { evidenceIn, headerAt } from './linked-headers.ts'
import { bytesMaxOf, type LogReading, noteAnswered, otherUpstream } from './log-reading.ts'
import { noteShort, recordOf, upstreamNamed } from './log-service.ts'

/**
 * A list that was checked as far as it can be. `isSure`: another upstream says the same, so that
 * even an empty one is worth keeping. Null when logs are missing, and smaller pieces may have them.
 */
type Checked = { list: LogList; isSure: boolean } | null

/** One answer with logs in so many is compared, beside the first of each upstream. */
const COMPARED_EVERY = 8

/** Blocks of a piece whose headers are read where there is nobody else to ask. */
const HEADERS_MAX = 8
/** Blocks whose blooms hint at logs that are asked for again. */
const BLOCKS_MAX = 4

/** Checks a piece of old blocks, which no reorganisation reaches. */
export async function checkLogs(
  reading: LogReading,
  piece: LogPiece,
  list: LogList,
  name: string,
): Promise<Checked> {
  const { service, call } = reading
  const before = noteAnswered(reading, name, list)
  const upstream = upstreamNamed(service, name)
  if (!upstream || reading.isStopped) return { list, isSure: false }
  const { suspectUntilMs } = recordOf(service.logReads, upstream)
  const isSuspect = suspectUntilMs > service.pool.clock.monotonicMs()
  const isDue = list.marks.length === 0 || before % COMPARED_EVERY === 0 || looksCutOff(list)
  const isTrusted = reading.trusted.has(upstream) && !isSuspect
  if (!isDue && isTrusted) return { list, isSure: false }

  const other =
    otherUpstream(service, call.share, piece, upstream) ??
    // One that takes fewer blocks can tell of some.
    otherUpstream(service, call.share, { ...piece, from: piece.to }, upstream)
  if (!isDue && !other) return { list, isSure: false }
  const second = other ? await partOf(reading, piece, other) : null
  if (!other || !second) return checkByHeaders(reading, piece, list, upstream)
  const own = second.isWhole ? list : keepLogs(list, ({ block }) => isIn(second.ranges, block))
  if (sameLogs(own, second.list)) {
    // That both have nothing says little of how they tell something.
    if (own.marks.length > 0) reading.trusted.add(upstream)
    return { list, isSure: second.isWhole }
  }
  // Smaller pieces can be compared as a whole.
  if (!second.isWhole) return null
  return settle(reading, piece, { list, upstream }, { list: second.list, upstream: other })
}

type Part = { list: LogList; ranges: BlockRange[]; isWhole: boolean }

/** The logs that another upstream has, of the whole piece or of parts that it takes. */
export async function partOf(
  reading: LogReading,
  piece: LogPiece,
  from: Upstream,
): Promise<Part | null> {
  const nowMs = reading.service.pool.clock.monotonicMs()
  const ranges = rangesToCompare(piece, spanNow(from.logSpan, nowMs))
  const lists = await Promise.all(
    ranges.map((range) => secondList(reading, { ...piece, ...range }, from)),
  )
  const known = lists.filter((list) => list !== null)
  if (known.length < lists.length) return null
  const blocks = ranges.reduce((sum, range) => sum + blocksIn(range), 0)
  return { list: mergeLogLists(known), ranges, isWhole: blocks === blocksIn(piece) }
}

function isIn(ranges: readonly BlockRange[], block: number): boolean {
  return ranges.some(({ from, to }) => from <= block && block <= to)
}

type Said = { list: LogList; upstream: Upstream }

/** Two upstreams differ: one has left logs out, or one has made them up. */
async function settle(reading: LogReading, piece: LogPiece, one: Said, other: Said) {
  const { service } = reading
  const onlyOne = missingIn(other.list, one.list)
  const onlyOther = missingIn(one.list, other.list)
  // Each has some that the other lacks. In smaller pieces it shows which.
  if (onlyOne.length > 0 && onlyOther.length > 0 && blocksIn(piece) > 1) return null
  const [more, less] = onlyOne.length >= onlyOther.length ? [one, other] : [other, one]
  const [extra] = onlyOne.length >= onlyOther.length ? onlyOne : onlyOther
  if (extra && (await isMadeUp(reading, extra))) return { list: less.list, isSure: true }
  noteShort(service, less.upstream, piece)
  reading.trusted.delete(less.upstream)
  return { list: more.list, isSure: true }
}

/** A bloom never denies a log of its block. */
async function isMadeUp(reading: LogReading, { block, blockHash }: LogMark): Promise<boolean> {
  const header = await headerAt(reading.service, reading.head, block)
  if (!header) return false
  return header.hash !== blockHash || evidenceIn(reading.service, reading.keys, header) === 'none'
}

/** With nobody else to ask, some blocks without logs are looked at, and asked for by themselves. */
async function checkByHeaders(
  reading: LogReading,
  piece: LogPiece,
  list: LogList,
  upstream: Upstream,
): Promise<Checked> {
  const unsure = { list, isSure: false }
  if (blocksIn(piece) === 1) return unsure
  if (looksCutOff(list)) return null
  const blocks = blocksToCheck(piece, list, HEADERS_MAX)
  const headers = await Promise.all(
    blocks.map((block) => headerAt(reading.service, reading.head, block)),
  )
  const hinted = headers.filter(
    (header) => evidenceIn(reading.service, reading.keys, header) === 'perhaps',
  )
  for (const header of hinted.slice(0, BLOCKS_MAX)) {
    if (!header) continue
    const { number } = header
    const alone = await secondList(reading, { ...piece, from: number, to: number }, upstream)
    if (!alone || alone.marks.length === 0) continue
    noteShort(reading.service, upstream, piece)
    return null
  }
  return unsure
}

/** Null when the upstream could not say. */
async function secondList(
  { service, call }: LogReading,
  piece: LogPiece,
  from: Upstream,
): Promise<LogList | null> {
  try {
    const question = { params: pieceParams(piece), range: piece, bytesMax: bytesMaxOf(piece), from }
    const asked = await askForLogs(service, call, question)
    return asked.kind === 'logs' ? asked.list : null
  } catch (thrown) {
    if (thrown instanceof Failure) return null
    throw thrown
  }
}
