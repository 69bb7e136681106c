import type { SpillBudget } from '../record-log/byte-log.ts'

/** The share that a walk holds of what all teams have together, and for which of them. */
export type Holding = {
  /** The team that began it, and those that joined it or asked for its later pages. */
  readonly teams: Set<string>
  spilledBytes: number
}

type Held = { readonly holding: Holding; readonly usedAtMs: number }

type Weigh = (holding: Holding) => number

export const countWalk: Weigh = () => 1
const countBytes: Weigh = ({ spilledBytes }) => spilledBytes

/** The last quarter of the room is kept for teams that have less than a quarter of it. */
const RESERVE_SHARE = 1 / 4

/**
 * The walk to remove: one of the team that has most, and of those the one that was longest
 * unused. What several teams hold counts as the share of the one that has least, so that nobody
 * loses a page key because of what another team asked for.
 */
export function dispensable<Walk extends Held>(
  all: readonly Walk[],
  removable: readonly Walk[],
  weigh: Weigh,
): Walk | null {
  const usage = usageByTeam(all, weigh)
  let chosen: Walk | null = null
  let chosenBurden = 0
  for (const walk of removable) {
    const burden = leastOf(walk.holding, usage)
    const isWorse = chosen !== null && burden < chosenBurden
    if (isWorse || (burden === chosenBurden && chosen && chosen.usedAtMs <= walk.usedAtMs)) continue
    chosen = walk
    chosenBurden = burden
  }
  return chosen
}

export type SpillRoom = ReturnType<typeof openSpillRoom>

type RoomNeeds<Walk> = {
  all(): readonly Walk[]
  /** Whether nobody reads it, and nothing is added to it. */
  isIdle(walk: Walk): boolean
  drop(walk: Walk): void
}

/**
 * Where there is no room left, a team may push out its own walks and those of teams that have
 * more than it does, never those of teams that have less.
 */
export function openSpillRoom<Walk extends Held>(
  bytesMaxNow: () => number,
  { all, isIdle, drop }: RoomNeeds<Walk>,
) {
  let usedBytes = 0

  const makeRoom = (taker: Holding, takerBytes: number): boolean => {
    const walks = all()
    const usage = usageByTeam(walks, countBytes)
    const isOwn = ({ teams }: Holding) => [...teams].every((team) => taker.teams.has(team))
    const removable = walks.filter(
      (walk) =>
        isIdle(walk) &&
        walk.holding.spilledBytes > 0 &&
        (isOwn(walk.holding) || leastOf(walk.holding, usage) >= takerBytes),
    )
    const chosen = dispensable(walks, removable, countBytes)
    if (chosen) drop(chosen)
    return chosen !== null
  }

  const take = (taker: Holding, bytes: number): boolean => {
    const bytesMax = bytesMaxNow()
    for (;;) {
      const takerBytes = leastOf(taker, usageByTeam(all(), countBytes)) + bytes
      const isLarge = takerBytes > bytesMax * RESERVE_SHARE
      const roomBytes = isLarge ? bytesMax * (1 - RESERVE_SHARE) : bytesMax
      if (usedBytes + bytes <= roomBytes) break
      if (!makeRoom(taker, takerBytes)) return false
    }
    usedBytes += bytes
    taker.spilledBytes += bytes
    return true
  }

  return {
    get usedBytes() {
      return usedBytes
    },
    budgetOf: (holding: Holding): SpillBudget => ({
      take: (bytes) => take(holding, bytes),
      give(bytes) {
        usedBytes -= bytes
        holding.spilledBytes -= bytes
      },
    }),
  }
}

/** Sums what each team holds; teams that hold a walk together share its weight. */
function usageByTeam(walks: readonly Held[], weigh: Weigh): Map<string, number> {
  const usage = new Map<string, number>()
  for (const { holding } of walks) {
    const weight = weigh(holding) / holding.teams.size
    for (const team of holding.teams) usage.set(team, (usage.get(team) ?? 0) + weight)
  }
  return usage
}

function leastOf({ teams }: Holding, usage: ReadonlyMap<string, number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const team of teams) least = Math.min(least, usage.get(team) ?? 0)
  return least
}
