import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Lets few scans run at once on each network, so that they never crowd out other calls. */
export type ScanSemaphore = ReturnType<typeof openScanSemaphore>

type Waiter = {
  teams: ReadonlySet<string>
  proceed(team: string): void
  giveUp(): void
}

type NetworkPermits = {
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
 * Turns go round between teams, and a team never has the last permit while it has another: its
 * slow scans may take minutes, and others are not to wait for their end. Where the line is full,
 * the team with most places in it loses one to a team with fewer.
 */
export function openScanSemaphore(clock: Clock, rules: { scansMax: number }) {
  const byNetwork = new Map<string, NetworkPermits>()
  const teamScansMax = () => Math.max(1, rules.scansMax - 1)

  const start = (permits: NetworkPermits, team: string): (() => void) => {
    permits.running++
    permits.runningByTeam.set(team, runningOf(permits, team) + 1)
    if (permits.lastTurns.size >= TEAMS_REMEMBERED_MAX) permits.lastTurns.clear()
    permits.lastTurns.set(team, ++permits.turns)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      permits.running--
      const rest = runningOf(permits, team) - 1
      if (rest > 0) permits.runningByTeam.set(team, rest)
      else permits.runningByTeam.delete(team)
      startNext(permits)
    }
  }

  /** More than one may begin: whoever just ended may have stood in the way of its own team. */
  const startNext = (permits: NetworkPermits) => {
    while (permits.running < rules.scansMax) {
      const next = nextOf(permits, teamScansMax())
      if (!next) return
      next.waiter.proceed(next.team)
    }
  }

  return {
    /**
     * Resolves when the scan may start, with how to end it; throws when that takes too long. The
     * teams are those that wait for the scan; others may join while it waits.
     */
    async enter(networkId: string, teams: ReadonlySet<string>) {
      const permits = byNetwork.get(networkId) ?? newLane()
      byNetwork.set(networkId, permits)
      const team = readiest(permits, teams)
      if (permits.running < rules.scansMax && runningOf(permits, team) < teamScansMax())
        return start(permits, team)

      if (permits.waiting.size >= WAITING_MAX && !makePlace(permits, team)) throw lineIsFull()
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const leaveLine = () => {
        stopTimer()
        permits.waiting.delete(waiter)
      }
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        leaveLine()
        reject(new Failure('upstream_timed_out'))
      })
      const waiter: Waiter = {
        teams,
        proceed(chosen) {
          leaveLine()
          resolve(start(permits, chosen))
        },
        giveUp() {
          leaveLine()
          reject(lineIsFull())
        },
      }
      permits.waiting.add(waiter)
      return promise
    },
  }
}

function newLane(): NetworkPermits {
  return {
    running: 0,
    runningByTeam: new Map(),
    waiting: new Set(),
    lastTurns: new Map(),
    turns: 0,
  }
}

function runningOf({ runningByTeam }: NetworkPermits, team: string): number {
  return runningByTeam.get(team) ?? 0
}

/** Picks the team with the fewest scans under way whose last turn was longest ago. */
function nextOf(
  permits: NetworkPermits,
  teamScansMax: number,
): { waiter: Waiter; team: string } | null {
  let next: { waiter: Waiter; team: string } | null = null
  for (const waiter of permits.waiting) {
    const team = readiest(permits, waiter.teams)
    if (runningOf(permits, team) >= teamScansMax) continue
    if (next === null || isReadier(permits, team, next.team)) next = { waiter, team }
  }
  return next
}

function readiest(permits: NetworkPermits, teams: ReadonlySet<string>): string {
  let chosen: string | null = null
  for (const team of teams) if (chosen === null || isReadier(permits, team, chosen)) chosen = team
  return chosen ?? ''
}

function isReadier(permits: NetworkPermits, team: string, than: string): boolean {
  const more = runningOf(permits, team) - runningOf(permits, than)
  return more < 0 || (more === 0 && lastTurnOf(permits, team) < lastTurnOf(permits, than))
}

function lastTurnOf({ lastTurns }: NetworkPermits, team: string): number {
  return lastTurns.get(team) ?? 0
}

/** Sends away whoever came last of the team with most places; false when that would be unfair. */
function makePlace(permits: NetworkPermits, forTeam: string): boolean {
  const lines = new Map<string, Waiter[]>()
  for (const waiter of permits.waiting) {
    const team = readiest(permits, waiter.teams)
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
