import type { BloomBits } from '../../core/chain/logs-bloom.ts'
import type { LogHeader } from '../../core/logs/log-evidence.ts'
import { spanNow } from '../../core/logs/log-span.ts'
import type { Network } from '../../core/network.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import { openTwoGenerationMap, type TwoGenerationMap } from '../../core/two-generation-map.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ResponseCache } from '../answers/answer-cache.ts'
import type { Upstream } from '../node/upstream.ts'
import type { UpstreamPool } from '../pool/routed-request.ts'
import { type LogPlaces, openLogPlaces } from './log-places.ts'

export type LogService = {
  network: Network
  telemetry: Telemetry
  pool: UpstreamPool
  methods: MethodRegistry
  immutable: ResponseCache
  bloomBits: BloomBits
  logReads: LogReads
  pollNow(): void
}

export type LogReads = {
  places: LogPlaces
  /** Headers of the last blocks, by hash. */
  headers: TwoGenerationMap<string, LogHeader>
  /** Headers being read, by head and height, so that calls at the same time read them once. */
  headersUnderWay: Map<string, Promise<LogHeader[] | null>>
  /** Headers could not be had; until then answers about new blocks go without. */
  noHeadersUntilMs: number
  /** New blocks, by hash and filter, of which two upstreams know no logs. */
  checkedBlocks: TwoGenerationMap<string, true>
  records: Map<Upstream, CheckRecord>
}

type CheckRecord = {
  /** Answers that were compared with another upstream's since one was short. */
  confirmed: number
  /** Answers since the last check. */
  unchecked: number
  /** Until then every answer is checked: the upstream has left logs out. */
  suspectUntilMs: number
  loggedAtMs: number
}

/** In each of two generations; about a kilobyte each. */
const HEADERS_MAX = 1000

/** In each of two generations. */
const CHECKED_MAX = 10_000

const SUSPECT_MS = 600_000
/** A short answer is in the log once in this time for each upstream; the metric counts all. */
const LOGGED_EVERY_MS = 60_000

export function openLogReads(clock: Clock): LogReads {
  return {
    places: openLogPlaces(clock),
    headers: openTwoGenerationMap({ weightMax: HEADERS_MAX }),
    headersUnderWay: new Map(),
    noHeadersUntilMs: 0,
    checkedBlocks: openTwoGenerationMap({ weightMax: CHECKED_MAX }),
    records: new Map(),
  }
}

/** The most blocks that an upstream in use takes at once. */
export function longestSpan({ pool: { selection, clock } }: LogService): number {
  const nowMs = clock.monotonicMs()
  let longest = 0
  for (const upstream of selection.upstreams) {
    const state = selection.stateOf.get(upstream)
    if (state !== 'used' && state !== 'standby') continue
    longest = Math.max(longest, spanNow(upstream.logSpan, nowMs))
  }
  return longest === 0 ? Number.POSITIVE_INFINITY : longest
}

export function upstreamNamed({ pool }: LogService, name: string): Upstream | null {
  return pool.selection.upstreams.find(({ spec }) => spec.name === name) ?? null
}

export function recordOf({ records }: LogReads, upstream: Upstream): CheckRecord {
  const known = records.get(upstream)
  if (known) return known
  const fresh = { confirmed: 0, unchecked: 0, suspectUntilMs: 0, loggedAtMs: -LOGGED_EVERY_MS }
  records.set(upstream, fresh)
  return fresh
}

/** Notes that an upstream left logs out. It is asked on, and what it says is checked. */
export function noteShort(
  { logReads, network, pool, telemetry }: LogService,
  upstream: Upstream,
  range: { from: number; to: number },
): void {
  const nowMs = pool.clock.monotonicMs()
  const record = recordOf(logReads, upstream)
  record.confirmed = 0
  record.suspectUntilMs = nowMs + SUSPECT_MS
  const named = { network: network.id, upstream: upstream.spec.name }
  telemetry.count('headgate_short_log_answers_total', named)
  if (nowMs - record.loggedAtMs < LOGGED_EVERY_MS) return
  record.loggedAtMs = nowMs
  telemetry.log('warn', 'logs_left_out', { ...named, from: range.from, to: range.to })
}
