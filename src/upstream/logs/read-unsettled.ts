import { Failure } from '../../core/errors.ts'
import type { LogHeader } from '../../core/logs/log-evidence.ts'
import { type BlockRange, blockParams, type LogPiece } from '../../core/logs/log-filter.ts'
import {
  joinLogTexts,
  keepLogs,
  type LogList,
  mergeLogLists,
  missingIn,
  NO_LOGS,
} from '../../core/logs/log-list.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Upstream } from '../node/upstream.ts'
import { askForLogs, type LogsWanted } from './ask-for-logs.ts'
import { partOf } from './check-logs.ts'
import { evidenceIn, headerAt, linkedHeaders } from './linked-headers.ts'
import { openLogPieces } from './log-pieces.ts'
import { bytesMaxOf, type LogReading, otherUpstream } from './log-reading.ts'
import { noteShort, upstreamNamed } from './log-service.ts'

/** Heads that were reorganised away under a call until it is given up. */
const ATTEMPTS_MAX = 4
const AGAIN_AFTER_MS = 250

/** Blocks whose blooms hint at logs that are asked for again, where there is one upstream only. */
const BLOCKS_MAX = 4

/**
 * The logs of the last blocks, all of one chain: every log must name the block that the head's
 * ancestry has at its height. When one does not, the chain was reorganised meanwhile, and all of
 * these blocks are read again.
 */
export async function readUnsettled(reading: LogReading, range: BlockRange): Promise<string> {
  const { pool, pollNow } = reading.service
  for (let attempt = 0; attempt < ATTEMPTS_MAX && !reading.isStopped; attempt++) {
    const head = attempt === 0 ? reading.head : (pool.selection.head ?? reading.head)
    if (attempt > 0) reading.pinned = upstreamAt(reading, head, attempt)
    const text = await readOnce(reading, range, head)
    if (text !== null) return text
    pollNow()
    await new Promise<void>((resolve) => void pool.clock.after(AGAIN_AFTER_MS, resolve))
  }
  throw new Failure('upstream_answered_badly', { reason: 'the chain kept changing' })
}

/** One of the upstreams that stand at a head, another each time. */
function upstreamAt({ service }: LogReading, { hash }: HeadView, attempt: number): Upstream | null {
  const standing = service.pool.selection.upstreams.filter((one) => one.head?.hash === hash)
  return standing[attempt % standing.length] ?? null
}

/** Null when blocks of more than one chain came together. */
async function readOnce(
  reading: LogReading,
  { from, to }: BlockRange,
  head: HeadView,
): Promise<string | null> {
  if (from > head.number) return ''
  const headers = await linkedHeaders(reading.service, head, from)
  if (!headers) return null
  const hashAt = new Map(headers.map((header) => [header.number, header.hash]))
  const pieces = openLogPieces(reading, { from, to: Math.min(to, head.number) }, false)
  const lists: LogList[] = []
  for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
    if (piece.marks.some(({ block, blockHash }) => hashAt.get(block) !== blockHash)) return null
    lists.push(piece)
  }
  // Pieces without logs name no block, so the head itself must still be the one at its height.
  const now = await headerAt(reading.service, head, head.number)
  if (now?.hash !== head.hash.toLowerCase()) return null
  const suspicious = blocksWithoutLogs(reading, headers, to, lists)
  const piece = { ...reading.keys, from, to: Math.min(to, head.number) }
  const isInDoubt = suspicious.length > 0 || isUnproven(reading)
  const found = isInDoubt ? await askAgain(reading, piece, headers, suspicious) : []
  if (found.every(({ marks }) => marks.length === 0))
    return joinLogTexts(lists.map(({ text }) => text))
  return mergeLogLists([...lists, ...found]).text
}

/** Blocks that gave no log although their blooms say that there may be some. */
function blocksWithoutLogs(
  { service, keys }: LogReading,
  headers: readonly LogHeader[],
  to: number,
  lists: readonly LogList[],
): LogHeader[] {
  const filled = new Set(lists.flatMap(({ marks }) => marks.map(({ block }) => block)))
  return headers.filter((header) => {
    const { number } = header
    if (number > to || filled.has(number)) return false
    return evidenceIn(service, keys, header) === 'perhaps'
  })
}

/** An upstream told of these blocks whose logs nobody has confirmed in this call. */
function isUnproven({ service, answered, trusted }: LogReading): boolean {
  return [...answered.keys()].some((name) => {
    const upstream = upstreamNamed(service, name)
    return upstream !== null && !trusted.has(upstream)
  })
}

/**
 * The logs of these very blocks, by two upstreams, whichever has told of them before; where there
 * is one alone, by hash.
 */
async function askAgain(
  reading: LogReading,
  piece: LogPiece,
  headers: readonly LogHeader[],
  suspicious: readonly LogHeader[],
): Promise<LogList[]> {
  const { service, call } = reading
  const last = { ...piece, from: piece.to }
  const one = otherUpstream(service, call.share, last, null)
  const other = one && otherUpstream(service, call.share, last, one)
  if (!one || !other) {
    const wanted = suspicious.slice(-BLOCKS_MAX).map((header) => blockWanted(reading, header))
    return Promise.all(wanted.map((block) => listOf(reading, block)))
  }
  const hashes = new Set(headers.map(({ hash }) => hash))
  const parts = await Promise.all([one, other].map((from) => partOf(reading, piece, from)))
  const [first = NO_LOGS, second = NO_LOGS] = parts.map((part) =>
    part ? onlyOf(part.list, hashes) : NO_LOGS,
  )
  if (parts.every((part) => part?.isWhole)) {
    if (missingIn(first, second).length > 0) noteShort(service, one, piece)
    if (missingIn(second, first).length > 0) noteShort(service, other, piece)
  }
  return [first, second]
}

function blockWanted({ keys }: LogReading, { hash, number }: LogHeader): LogsWanted {
  const range = { from: number, to: number }
  const bytesMax = bytesMaxOf({ ...keys, ...range })
  return { params: blockParams(hash, keys), range, bytesMax, from: null }
}

/** The logs of some blocks; those of a block on another chain are no logs of ours. */
function onlyOf(list: LogList, hashes: ReadonlySet<string>): LogList {
  if (list.marks.every(({ blockHash }) => hashes.has(blockHash))) return list
  return keepLogs(list, ({ blockHash }) => hashes.has(blockHash))
}

/** Nothing where the upstream could not say. */
async function listOf({ service, call }: LogReading, question: LogsWanted): Promise<LogList> {
  try {
    const asked = await askForLogs(service, call, question)
    return asked.kind === 'logs' ? asked.list : NO_LOGS
  } catch (thrown) {
    if (thrown instanceof Failure) return NO_LOGS
    throw thrown
  }
}
