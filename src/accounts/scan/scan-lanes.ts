import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Lets few scans run at once on each network, so that they never crowd out other calls. */
export type ScanLanes = {
  /**
   * Resolves when it is one's turn, with how to end it; throws when that takes too long. The
   * teams are those that wait for the scan; others may join while it waits.
   */
  enter(networkId: string, teams: ReadonlySet<string>): Promise<() => void>
}

type Waiter = {
  teams: ReadonlySet<string>
  proceed(team: string): void
  giveUp(): void
}

type Lane = {
  running: number
  runningByTeam: Map<string, number>
  /** In the order they came. */
  waiting: Set<Waiter>
  /** When each team had its last turn, counted in turns. */
  lastTurns: Map<string, number>
  turns: number
}

/** Beyond this, waiting would be hopeless. */
const WAITING_MAX = 64
const WAIT_MS_MAX = 20_000

/** Forgetting whose turn was when costs no more than one turn out of order. */
const TEAMS_REMEMBERED_MAX = 1000

/**
 * Turns go round between teams, and a team never has the last lane while it has another: its
 * slow scans may take minutes, and others are not to wait for their end. Where the line is full,
 * the team with most places in it loses one to a team with fewer.
 */
export function openScanLanes(clock: Clock, rules: { scansMax: number }): ScanLanes {
  const lanes = new Map<string, Lane>()
  const teamScansMax = () => Math.max(1, rules.scansMax - 1)

  const start = (lane: Lane, team: string): (() => void) => {
    lane.running++
    lane.runningByTeam.set(team, runningOf(lane, team) + 1)
    if (lane.lastTurns.size >= TEAMS_REMEMBERED_MAX) lane.lastTurns.clear()
    lane.lastTurns.set(team, ++lane.turns)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      lane.running--
      const rest = runningOf(lane, team) - 1
      if (rest > 0) lane.runningByTeam.set(team, rest)
      else lane.runningByTeam.delete(team)
      startNext(lane)
    }
  }

  /** More than one may begin: whoever just ended may have stood in the way of its own team. */
  const startNext = (lane: Lane) => {
    while (lane.running < rules.scansMax) {
      const next = nextOf(lane, teamScansMax())
      if (!next) return
      next.waiter.proceed(next.team)
    }
  }

  return {
    async enter(networkId, teams) {
      const lane = lanes.get(networkId) ?? newLane()
      lanes.set(networkId, lane)
      const team = readiest(lane, teams)
      if (lane.running < rules.scansMax && runningOf(lane, team) < teamScansMax())
        return start(lane, team)

      if (lane.waiting.size >= WAITING_MAX && !makePlace(lane, team)) throw lineIsFull()
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const leaveLine = () => {
        stopTimer()
        lane.waiting.delete(waiter)
      }
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        leaveLine()
        reject(new Failure('upstream_timed_out'))
      })
      const waiter: Waiter = {
        teams,
        proceed(chosen) {
          leaveLine()
          resolve(start(lane, chosen))
        },
        giveUp() {
          leaveLine()
          reject(lineIsFull())
        },
      }
      lane.waiting.add(waiter)
      return promise
    },
  }
}

function newLane(): Lane {
  return {
    running: 0,
    runningByTeam: new Map(),
    waiting: new Set(),
    lastTurns: new Map(),
    turns: 0,
  }
}

function runningOf({ runningByTeam }: Lane, team: string): number {
  return runningByTeam.get(team) ?? 0
}

/** Picks the team with the fewest scans under way whose last turn was longest ago. */
function nextOf(lane: Lane, teamScansMax: number): { waiter: Waiter; team: string } | null {
  let next: { waiter: Waiter; team: string } | null = null
  for (const waiter of lane.waiting) {
    const team = readiest(lane, waiter.teams)
    if (runningOf(lane, team) >= teamScansMax) continue
    if (next === null || isReadier(lane, team, next.team)) next = { waiter, team }
  }
  return next
}

function readiest(lane: Lane, teams: ReadonlySet<string>): string {
  let chosen: string | null = null
  for (const team of teams) if (chosen === null || isReadier(lane, team, chosen)) chosen = team
  return chosen ?? ''
}

function isReadier(lane: Lane, team: string, than: string): boolean {
  const more = runningOf(lane, team) - runningOf(lane, than)
  return more < 0 || (more === 0 && lastTurnOf(lane, team) < lastTurnOf(lane, than))
}

function lastTurnOf({ lastTurns }: Lane, team: string): number {
  return lastTurns.get(team) ?? 0
}

/** Sends away whoever came last of the team with most places; false when that would be unfair. */
function makePlace(lane: Lane, forTeam: string): boolean {
  const lines = new Map<string, Waiter[]>()
  for (const waiter of lane.waiting) {
    const team = readiest(lane, waiter.teams)
    const line = lines.get(team)
    if (line) line.push(waiter)
    else lines.set(team, [waiter])
  }
  const [longest = []] = [...lines.values()].sort((a, b) => b.length - a.length)
  if (longest.length <= (lines.get(forTeam)?.length ?? 0) + 1) return false
  longest.at(-1)?.giveUp()
  return true
}

function lineIsFull(): Failure {
  return new Failure('upstream_unreachable')
}
