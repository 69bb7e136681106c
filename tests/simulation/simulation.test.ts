// Runs on both stores.

import { describe, expect, test } from 'bun:test'
import { sized } from '../support/basics/sized.ts'
import { type RunReport, runSeed } from './run-seed.ts'
import { openSimStores } from './sim-store.ts'

/** As many as take about four seconds of one core; `npm run test:full` has more. */
const SEEDS_USUAL = sized(50, 500)
const SEEDS_AT_ONCE = 250
const TEST_MS_MAX = 600_000
const LINES_SHOWN_MAX = 120

const seeds = Number(process.env.HEADGATE_SEEDS ?? SEEDS_USUAL)
const replayed = process.env.HEADGATE_SEED

const stores = await openSimStores()

const reached = { seeds: 0, events: 0, heights: 0, deepest: 0 }

/** The incidents that make a run worth running, as its trace tells them. */
const ADVENTURES = [
  'crashes at committed',
  'crashes at statement',
  'follows a fork to',
  'fork_disputed',
  'fork_past_finality',
  'goes on alone to',
  'block_parts_disagree',
  'database_unavailable',
  'is stopped',
]

/** Those that have not come about so far. */
const unseen = new Set(ADVENTURES)

if (replayed !== undefined) {
  test(`every promise holds with seed ${replayed}`, () => {
    const report = runSeed(stores, Number(replayed))
    console.log(report.trace().join('\n'))
    expect(report.complaints).toEqual([])
  })
} else {
  describe('whatever nodes, processes and the store do, the chain is followed', () => {
    const batches = Array.from({ length: Math.ceil(seeds / SEEDS_AT_ONCE) }, (_, at) => ({
      from: at * SEEDS_AT_ONCE + 1,
      to: Math.min(seeds, (at + 1) * SEEDS_AT_ONCE),
    }))
    test.each(batches)(
      'without a gap, in order, each event once: seeds $from to $to',
      ({ from, to }) => {
        for (let seed = from; seed <= to; seed++) {
          const report = runSeed(stores, seed)
          if (report.complaints.length > 0) throw new Error(storyOf(report))
          note(report)
          for (const adventure of unseen) {
            if (report.tells(adventure)) unseen.delete(adventure)
          }
        }
        // Some happen in one seed of dozens, so all seeds together are looked at.
        if (to === seeds && seeds >= SEEDS_AT_ONCE) expect([...unseen]).toEqual([])
        if (to === seeds && seeds > SEEDS_USUAL) console.log('simulated', reached)
      },
      TEST_MS_MAX,
    )
  })

  test('the same seed gives the same run, to the last call', () => {
    for (const seed of [7, 134, 1732]) {
      const first = runSeed(stores, seed).trace()
      runSeed(stores, seed + 1)
      expect(runSeed(stores, seed).trace()).toEqual(first)
    }
  })
}

function note({ events, heights, deepest }: RunReport): void {
  reached.seeds++
  reached.events += events
  reached.heights = Math.max(reached.heights, heights)
  reached.deepest = Math.max(reached.deepest, deepest)
}

function storyOf({ seed, complaints, trace }: RunReport): string {
  return [
    `seed ${seed}: ${complaints.join('; ')}`,
    `to see it again: HEADGATE_SEED=${seed} npx bun test tests/simulation`,
    'how it ended:',
    ...trace().slice(-LINES_SHOWN_MAX),
  ].join('\n')
}
