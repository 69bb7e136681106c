import { addTime, newTimes } from '../core/rpc/call-times.ts'
import type { Clock } from '../ports/clock.ts'
import type { CallCounts, CallSplit, FigureRow } from '../tables/usage/call-stats.ts'
import type { UpstreamTally } from '../upstream/node/upstream-tally.ts'

export type NodeFigure = UpstreamTally & { network: string; upstream: string }

type AnsweredCall = {
  /** The bounded name of the method; empty where the call named none. */
  method: string
  centiCu: number
  cache: 'hit' | 'miss' | 'coalesced'
  upstream: string
  nodeErrorCode: number
  rejection: { code: string } | null
}

type Owner = { id: string; teamId: string }

export type CallFigures = ReturnType<typeof openCallFigures>

type Tally = CallCounts & { times: number[] }

/** The calls of one app on one network in one minute. */
type Cell = {
  app: Owner
  network: string
  minuteMs: number
  splits: Record<CallSplit, Map<string, Tally>>
}

const MINUTE_MS = 60_000

/** The name of the method where a call has none, as in the metrics. */
const NO_METHOD = 'none'

/**
 * Tallies held at once, some 300 bytes each: those of a busy service are hundreds, but while the
 * store is away they gather. Beyond it calls are left out of figures, never of the bill.
 */
const TALLIES_MAX = 20_000

/** Followers ask upstreams all the time, and nobody needs that on disk twice a second. */
const NODES_EVERY_MS = 5000

/**
 * Counts calls in memory. Hot path: the cell of an app and its tallies are found by the texts that
 * a call has anyway, and then some whole numbers are added, so that nothing is allocated for a
 * call that is like one before it. `takeNodes` tells how requests to upstreams went since it was
 * last asked.
 */
export function openCallFigures(clock: Clock, takeNodes: () => readonly NodeFigure[]) {
  let cells = new Map<string, Cell[]>()
  /** Cells of minutes that are over and not taken yet. */
  let over: Cell[] = []
  let tallies = 0
  let minuteMs = minuteOf(clock.nowMs())
  let nodesAtMs = clock.monotonicMs()

  const turn = (nowMs: number) => {
    over.push(...[...cells.values()].flat())
    cells = new Map()
    minuteMs = minuteOf(nowMs)
  }

  const cellOf = (app: Owner, network: string): Cell | null => {
    const ofApp = cells.get(app.id)
    if (ofApp) for (const cell of ofApp) if (cell.network === network) return cell
    if (tallies >= TALLIES_MAX) return null
    const splits = { method: new Map(), status: new Map(), upstream: new Map() }
    const cell = { app, network, minuteMs, splits }
    if (ofApp) ofApp.push(cell)
    else cells.set(app.id, [cell])
    return cell
  }

  const count = (tallied: Map<string, Tally>, name: string, call: AnsweredCall, ms: number) => {
    let tally = tallied.get(name)
    if (tally === undefined) {
      if (tallies >= TALLIES_MAX) return
      tallies++
      tally = newTally()
      tallied.set(name, tally)
    }
    addCall(tally, call, ms)
  }

  return {
    add(app: Owner, network: string, call: AnsweredCall, tookMs: number): void {
      const nowMs = clock.nowMs()
      if (nowMs < minuteMs || nowMs >= minuteMs + MINUTE_MS) turn(nowMs)
      const cell = cellOf(app, network)
      if (cell === null) return
      const { splits } = cell
      count(splits.method, call.method === '' ? NO_METHOD : call.method, call, tookMs)
      count(splits.status, statusOf(call), call, tookMs)
      // A refusal was served by nobody.
      if (call.rejection === null) count(splits.upstream, call.upstream, call, tookMs)
    },

    /** All that was counted since it was last taken. */
    take(): FigureRow[] {
      turn(clock.nowMs())
      const taken = over
      over = []
      tallies = 0
      nodesAtMs = clock.monotonicMs()
      return [...taken.flatMap(rowsOf), ...takeNodes().map((node) => nodeRow(node, minuteMs))]
    },

    /** Something was counted that should not wait any longer. */
    isDue: () => tallies > 0 || clock.monotonicMs() - nodesAtMs >= NODES_EVERY_MS,
  }
}

/** The reason of a refusal, in the words of the metric `headgate_rpc_calls_total`. */
function statusOf({ rejection, nodeErrorCode }: AnsweredCall): string {
  if (rejection !== null) return rejection.code
  return nodeErrorCode === 0 ? 'ok' : 'node_error'
}

function addCall(tally: Tally, call: AnsweredCall, tookMs: number): void {
  tally.calls++
  tally.centiCu += call.centiCu
  if (call.rejection !== null) {
    tally.errors++
    return
  }
  if (call.nodeErrorCode !== 0) tally.nodeErrors++
  if (call.cache === 'hit') tally.cached++
  if (call.cache === 'coalesced') tally.coalesced++
  // Refusals are instant: with them, the median would say nothing of those that were served.
  addTime(tally.times, tookMs)
}

function newTally(): Tally {
  const counts = { calls: 0, errors: 0, nodeErrors: 0, cached: 0, coalesced: 0, centiCu: 0 }
  return { ...counts, times: newTimes() }
}

function rowsOf({ app, network, minuteMs, splits }: Cell): FigureRow[] {
  const owner = { teamId: app.teamId, appId: app.id, network, minuteMs }
  const rows = (split: CallSplit) =>
    [...splits[split]].map(([name, tally]) => ({ ...owner, split, name, ...tally }))
  return [...rows('method'), ...rows('status'), ...rows('upstream')]
}

function nodeRow({ network, upstream, ...counts }: NodeFigure, minuteMs: number): FigureRow {
  const none = { teamId: '', appId: '', nodeErrors: 0, cached: 0, coalesced: 0, centiCu: 0 }
  return { ...none, network, split: 'node', name: upstream, minuteMs, ...counts }
}

function minuteOf(atMs: number): number {
  return atMs - (atMs % MINUTE_MS)
}
