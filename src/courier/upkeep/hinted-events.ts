import { coalesced } from '../../core/async/coalesced.ts'
import type { Database } from '../../ports/database.ts'
import type { Delivery } from '../../tables/deliveries/delivery.ts'
import { newDeliveriesOf } from '../../tables/deliveries/outbox.ts'
import { resultsOf, type StoredPart } from '../../tables/deliveries/results.ts'
import type { Dispatch } from '../dispatch.ts'
import { hintedEvent } from '../hint-couriers.ts'
import type { ShardLease } from './shard-lease.ts'

type Options = {
  name: string
  dispatch: Pick<Dispatch, 'webhooks' | 'run'>
  lease: Pick<ShardLease, 'served'>
  failed(thrown: unknown): void
}

type ReadEvent = { deliveries: readonly Delivery[]; results: readonly StoredPart[] }

/** Events that wait to be read; what is in others is found by a sweep. */
const HINTED_MAX = 1000

const READ_AT_ONCE = 8

/** Deliveries of one event that come with one read; a sweep finds those beyond. */
export const DELIVERIES_READ_MAX = 2000

/** Results of one event that come along; others are read when their deliveries are sent. */
const RESULTS_BYTES_MAX = 2 ** 20

/**
 * Brings what others have committed for webhooks of ours. Hot path: one read for all of them
 * instead of one for each.
 */
export function openHintedEvents(database: Database, options: Options) {
  const { name, dispatch, lease, failed } = options
  const hinted = new Set<number>()

  const readNext = async () => {
    const events = [...hinted].sort((a, b) => a - b).slice(0, READ_AT_ONCE)
    for (const event of events) hinted.delete(event)
    const reading = dispatch.webhooks.beginReading()
    try {
      const shards = lease.served()
      const all = await Promise.all(events.map((event) => readEvent(database, event, shards)))
      // In their order, in which webhooks send them.
      for (const found of all) reading.offer(found)
    } finally {
      reading.end()
    }
    dispatch.run()
  }
  const read = coalesced(async () => {
    while (hinted.size > 0) await readNext()
  }, failed)

  return {
    hear(hint: string): void {
      const event = hintedEvent(hint, name)
      if (event === null || hinted.size >= HINTED_MAX) return
      hinted.add(event)
      read.ask()
    },
    idle: read.idle,
  }
}

async function readEvent(
  database: Database,
  event: number,
  shards: ReadonlySet<number>,
): Promise<ReadEvent> {
  const deliveries = await newDeliveriesOf(database, event, shards, DELIVERIES_READ_MAX)
  const bytes = new Map(deliveries.map(({ part, dataBytes }) => [part ?? 0, dataBytes]))
  const total = bytes.values().reduce((sum, one) => sum + one, 0)
  const parts = total > RESULTS_BYTES_MAX ? [] : [...bytes.keys()]
  return { deliveries, results: await resultsOf(database, event, parts) }
}
