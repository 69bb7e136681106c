import { checkRun, deepestIn } from './check-run.ts'
import { openRun, type Run } from './sim-run.ts'
import type { SimStores } from './sim-store.ts'
import { type Accompany, supervise } from './supervise.ts'

export type RunReport = {
  seed: number
  complaints: string[]
  trace(): string[]
  /** Whether something of this name happened. */
  tells(what: string): boolean
  /** From the first block that was followed to the last. */
  heights: number
  events: number
  /** Most blocks that one event replaced. */
  deepest: number
}

/** Others who take part in a run. */
export type Joined = {
  accompany: Accompany
  /** Whether nothing more is to be expected of them. */
  isQuiet(): boolean
  end(): void
  /** The promises that did not hold. */
  check(): string[]
}

/** Once all is calm the final tip must be reached within this. */
const PATIENCE_MS = 180_000
/** A circuit breaker is open for up to five minutes, and then some. */
const JOINED_PATIENCE_MS = 600_000
/** Some blocks more, so that nodes get to show that they are well again. */
const CALM_BLOCKS = 3
/** Having arrived, it must stay there. */
const STAY_MS = 3_000

/** Everything that happens in one run; the same for the same seed. */
export function runSeed(
  stores: SimStores,
  seed: number,
  join: (run: Run) => Joined | null = () => null,
): RunReport {
  const run = openRun(stores, seed)
  const joined = join(run)
  const { clock, plan, events, complaints } = run
  const endMs = plan.calmAtMs + plan.blockTimeMs * CALM_BLOCKS
  const endAll = supervise(run, joined?.accompany)
  const isThere = () => events.at(-1)?.tip_hash === run.tree.tip().hash
  tellStory(run, endMs)
  clock.runUntil(endMs + plan.blockTimeMs * 2)
  const patientUntilMs = clock.elapsedMs() + PATIENCE_MS
  // Calls under way when the faults changed may still lead away from it for a moment.
  do {
    if (!isThere()) clock.runUntil(patientUntilMs, isThere)
    clock.runUntil(clock.elapsedMs() + STAY_MS)
  } while (!isThere() && clock.elapsedMs() < patientUntilMs)
  if (!isThere()) complaints.push('the final tip is not reached in calm weather')
  if (joined) {
    clock.runUntil(clock.elapsedMs() + JOINED_PATIENCE_MS, joined.isQuiet)
    clock.runUntil(clock.elapsedMs() + STAY_MS)
  }
  joined?.end()
  endAll()
  run.office.end('the run is over')
  // The transactions of the dead are rolled back when their statements come to an end.
  clock.runUntil(clock.elapsedMs() + plan.store.lateMsMax + 1)
  if (complaints.length === 0) complaints.push(...checkRun(run), ...(joined?.check() ?? []))
  run.store.wipe()
  const numbers = events.map(({ tip_number }) => tip_number)
  return {
    seed,
    complaints,
    trace: run.trace.lines,
    tells: run.trace.tells,
    heights: Math.max(...numbers) - (numbers[0] ?? 0) + 1,
    events: events.length,
    deepest: deepestIn(run),
  }
}

/** The chain grows at uneven intervals, and now and then changes its mind. */
function tellStory(run: Run, endMs: number): void {
  const { clock, plan, tree, trace } = run
  const chance = run.chance(5)
  const step = () => {
    clock.after(plan.blockTimeMs * (0.2 + 1.6 * chance.fraction()), step)
    // A process that began on a higher branch hears of a lower one when it has grown.
    const short = tree.tip().number < (run.events[0]?.tip_number ?? 0)
    if (clock.elapsedMs() >= endMs && !short) return
    const reorganises = !short && chance.fraction() < plan.reorganisationRate
    const blocks = chance.fraction() < 0.1 ? chance.between(2, 3) : 1
    if (reorganises) tree.reorganise()
    else for (let block = 0; block < blocks; block++) tree.grow()
    trace.note('chain', reorganises ? 'reorganises to' : 'grows to', tree.tip().name)
  }
  step()
}
