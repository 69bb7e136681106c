import { describe, expect, test } from 'bun:test'
import { openJournaledStores } from './deliveries/open-delivery-run.ts'
import { type DeliveryReport, runDeliveries } from './deliveries/run-deliveries.ts'

/** As many as take about 15 seconds of one core. */
const SEEDS_USUAL = 500
const SEEDS_AT_ONCE = 100
const TEST_MS_MAX = 600_000
const LINES_SHOWN_MAX = 120

const seeds = Number(process.env.HEADGATE_DELIVERY_SEEDS ?? SEEDS_USUAL)
const replayed = process.env.HEADGATE_DELIVERY_SEED

const stores = await openJournaledStores()

const reached = { seeds: 0, deliveries: 0, posts: 0 }

if (replayed !== undefined) {
  test(`every promise holds with seed ${replayed}`, () => {
    const report = runDeliveries(stores, Number(replayed))
    console.log(report.trace().join('\n'))
    expect(report.complaints).toEqual([])
  })
} else {
  describe('whatever receivers, processes and the store do, what is committed is delivered', () => {
    const batches = Array.from({ length: Math.ceil(seeds / SEEDS_AT_ONCE) }, (_, at) => ({
      from: at * SEEDS_AT_ONCE + 1,
      to: Math.min(seeds, (at + 1) * SEEDS_AT_ONCE),
    }))
    test.each(batches)(
      'in order, as scheduled, billed once: seeds $from to $to',
      ({ from, to }) => {
        for (let seed = from; seed <= to; seed++) {
          const report = runDeliveries(stores, seed)
          if (report.complaints.length > 0) throw new Error(storyOf(report))
          note(report)
        }
        if (to === seeds && seeds > SEEDS_USUAL) console.log('simulated', reached)
      },
      TEST_MS_MAX,
    )
  })

  test('the same seed gives the same run, to the last call', () => {
    for (const seed of [7, 134, 1732]) {
      const first = runDeliveries(stores, seed).trace()
      runDeliveries(stores, seed + 1)
      expect(runDeliveries(stores, seed).trace()).toEqual(first)
    }
  })
}

function note({ deliveries, posts }: DeliveryReport): void {
  reached.seeds++
  reached.deliveries += deliveries
  reached.posts += posts
}

function storyOf({ seed, complaints, trace }: DeliveryReport): string {
  return [
    `seed ${seed}: ${complaints.join('; ')}`,
    `to see it again: HEADGATE_DELIVERY_SEED=${seed} npx bun test tests/simulation/delivery`,
    'how it ended:',
    ...trace().slice(-LINES_SHOWN_MAX),
  ].join('\n')
}
