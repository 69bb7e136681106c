// Runs on both stores.

import { describe, expect, test } from 'bun:test'
import { sized } from '../support/basics/sized.ts'
import { openJournaledStores } from './deliveries/open-delivery-run.ts'
import { type DeliveryReport, runDeliveries } from './deliveries/run-deliveries.ts'
import { runJoined } from './deliveries/run-joined.ts'
import type { RunReport } from './run-seed.ts'

type Report = Pick<RunReport, 'seed' | 'complaints' | 'trace'>

/** As many as take about two seconds of one core; `npm run test:full` has more. */
const SEEDS_USUAL = sized(12, 100)
const SEEDS_AT_ONCE = 100

/** Of those seeds, one in so many also drives a chain with a real follower. */
const JOINED_SHARE = 8

const TEST_MS_MAX = 3_600_000
const LINES_SHOWN_MAX = 120

const seeds = Number(process.env.HEADGATE_DELIVERY_SEEDS ?? SEEDS_USUAL)
const replayed = process.env.HEADGATE_DELIVERY_SEED
const replayedJoined = process.env.HEADGATE_JOINED_SEED

const stores = await openJournaledStores()

const reached = { seeds: 0, deliveries: 0, posts: 0 }

/** What makes a run worth running, as its trace tells it. */
const ADVENTURES = [
  'crashes at statement',
  'crashes at committed',
  'crashes at sent',
  'crashes at answered',
  'is stopped',
  'courier_commit_failed',
  'courier_fenced',
  'fences',
  'sleeps for',
  'has its clock set by',
  'capacity_pause',
  'backlog_pause',
  'MANUAL',
  'DESTINATION_GONE',
  'timeout',
  'reset',
  'refused_address',
  'failed',
  'cancelled',
  'rotates the key of',
  'replays',
  'resends',
  'of a fork',
]

/** Those that have not come about so far. */
const unseen = new Set(ADVENTURES)

if (replayed !== undefined) {
  test(`every promise holds with seed ${replayed}`, () => {
    showWhole(runDeliveries(stores, Number(replayed)))
  })
} else if (replayedJoined !== undefined) {
  test(`every promise holds from the chain on with seed ${replayedJoined}`, () => {
    showWhole(runJoined(stores, Number(replayedJoined)))
  })
} else {
  describe('whatever receivers, processes and the store do, what is committed is delivered', () => {
    test.each(batchesOf(seeds, SEEDS_AT_ONCE))(
      'in order, as scheduled, billed once: seeds $from to $to',
      ({ from, to }) => {
        for (let seed = from; seed <= to; seed++) {
          const report = runDeliveries(stores, seed)
          if (report.complaints.length > 0) throw new Error(storyOf(report, 'DELIVERY'))
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

    test.each(batchesOf(Math.ceil(seeds / JOINED_SHARE), SEEDS_AT_ONCE))(
      'from a real follower to the receiver: seeds $from to $to',
      ({ from, to }) => {
        for (let seed = from; seed <= to; seed++) {
          const report = runJoined(stores, seed)
          if (report.complaints.length > 0) throw new Error(storyOf(report, 'JOINED'))
        }
      },
      TEST_MS_MAX,
    )
  })

  test('the same seed gives the same run, to the last call', () => {
    for (const run of [runDeliveries, runJoined]) {
      const first = run(stores, 34).trace()
      run(stores, 35)
      expect(run(stores, 34).trace()).toEqual(first)
    }
  })
}

function batchesOf(count: number, atOnce: number): { from: number; to: number }[] {
  return Array.from({ length: Math.ceil(count / atOnce) }, (_, at) => ({
    from: at * atOnce + 1,
    to: Math.min(count, (at + 1) * atOnce),
  }))
}

function note({ deliveries, posts }: DeliveryReport): void {
  reached.seeds++
  reached.deliveries += deliveries
  reached.posts += posts
}

function showWhole({ complaints, trace }: Report): void {
  console.log(trace().join('\n'))
  expect(complaints).toEqual([])
}

function storyOf({ seed, complaints, trace }: Report, kind: 'DELIVERY' | 'JOINED'): string {
  const lines = trace()
  const judged = lines.findIndex((line) => line.includes(complaints[0] ?? ''))
  const end = judged === -1 ? lines.length : judged + 1
  return [
    `seed ${seed}: ${complaints.join('; ')}`,
    `to see it again: HEADGATE_${kind}_SEED=${seed} npx bun test tests/simulation/delivery`,
    'how it came about:',
    ...lines.slice(Math.max(0, end - LINES_SHOWN_MAX), end),
  ].join('\n')
}
