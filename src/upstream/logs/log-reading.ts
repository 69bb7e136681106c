import type { LogKeys, LogPiece } from '../../core/logs/log-filter.ts'
import type { LogList } from '../../core/logs/log-list.ts'
import { blocksIn, splitPiece } from '../../core/logs/split-piece.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolCall } from '../pool/routed-request.ts'
import { pick, TIER_MAX } from '../pool/selection.ts'
import type { LogService } from './log-service.ts'

/** One call whose answer is put together of pieces. */
export type LogReading = {
  service: LogService
  call: PoolCall
  keys: LogKeys
  /** The head that the call's blocks were resolved by. */
  head: HeadView
  /** The blocks of the next piece, unless upstreams take fewer; grows and shrinks. */
  span: number
  /** A longer piece has taken too long in this call. */
  spanMax: number
  piecesLeft: number
  /** Refusals that are still accepted, and those by time, each of which takes long. */
  refusalsLeft: number
  timeoutsLeft: number
  /** Answers with logs, by upstream. */
  answered: Map<string, number>
  /** Upstreams whose logs another one has confirmed in this call. */
  trusted: Set<Upstream>
  /** The upstream that is asked about the last blocks, where several have told of two chains. */
  pinned: Upstream | null
  /** Nobody reads the answer yet, of which enough is at hand. */
  isPaused: boolean
  /** Nobody waits for it any more. */
  isStopped: boolean
}

/** A node's own error ends the call. It is thrown to leave all pieces at once. */
export class LogError extends Error {
  readonly error: NodeError
  readonly upstream: string

  constructor(error: NodeError, upstream: string) {
    super('a node refused a piece')
    this.error = error
    this.upstream = upstream
  }
}

/** A refusal of ours, in the words of a node. */
export function refusedHere(message: string): LogError {
  const code = -32602
  const text = JSON.stringify({ code, message })
  return new LogError({ kind: 'error', code, message, text }, NO_UPSTREAM)
}

const NO_UPSTREAM = 'none'

/** Pieces that one call asks nodes for, whatever they refuse. */
const PIECES_MAX = 10_000

/** Enough for any mix of limits; a node that refuses everything is given up before. */
const REFUSALS_MAX = 1000
const TIMEOUTS_MAX = 8

/** Blocks below the head that may still be replaced, where not even fewer are final. */
const UNSETTLED_BLOCKS = 128

/** Larger answers are asked for in parts. */
const PIECE_BYTES_MAX = 4 * 2 ** 20
/** The same where there are no parts: a whole block takes some tens of megabytes at most. */
const WHOLE_BYTES_MAX = 128 * 2 ** 20

export function newLogReading(
  service: LogService,
  call: PoolCall,
  keys: LogKeys,
  head: HeadView,
  span: number,
): LogReading {
  return {
    service,
    call,
    keys,
    head,
    span,
    spanMax: Number.POSITIVE_INFINITY,
    piecesLeft: PIECES_MAX,
    refusalsLeft: REFUSALS_MAX,
    timeoutsLeft: TIMEOUTS_MAX,
    answered: new Map(),
    trusted: new Set(),
    pinned: null,
    isPaused: false,
    isStopped: false,
  }
}

/** The last block that no reorganisation is expected to reach. */
export function settledHeight({ number, finalized }: HeadView): number {
  return Math.max(finalized ?? -1, number - UNSETTLED_BLOCKS)
}

export function bytesMaxOf(piece: LogPiece): number {
  return splitPiece(piece) === null ? WHOLE_BYTES_MAX : PIECE_BYTES_MAX
}

/** Another upstream that has all blocks of a piece, and takes so many; null when there is none. */
export function otherUpstream(
  service: LogService,
  share: string | undefined,
  piece: LogPiece,
  but: Upstream | null,
): Upstream | null {
  const needed = {
    method: 'eth_getLogs',
    atHead: false,
    heightMin: piece.to,
    heavy: true,
    share,
    logBlocks: blocksIn(piece),
  }
  const other = pick(service.pool.selection, needed, but ? [but] : [], TIER_MAX.good)
  return other && (other.head?.number ?? 0) >= piece.to ? other : null
}

/** Notes who gave logs; returns how many such answers it gave before in this call. */
export function noteAnswered({ answered }: LogReading, upstream: string, list: LogList): number {
  const before = answered.get(upstream) ?? 0
  if (list.marks.length > 0) answered.set(upstream, before + 1)
  else if (!answered.has(upstream)) answered.set(upstream, 0)
  return before
}
