import { coalesced } from '../core/async/coalesced.ts'
import { within } from '../core/async/within.ts'
import type { Tier } from '../core/billing/plan.ts'
import { errorText } from '../core/errors.ts'
import type { Database } from '../ports/database.ts'
import type { Egress } from '../ports/egress.ts'
import type { World } from '../ports/world.ts'
import type { KnownNumbers } from '../tables/chain/known-numbers.ts'
import { webhookNumbers } from '../tables/webhooks/courier-webhooks.ts'
import { type Dispatch, openDispatch } from './dispatch.ts'
import { type CourierHints, DELIVERIES_TOPIC, hintOf } from './hint-couriers.ts'
import { openHintedEvents } from './upkeep/hinted-events.ts'
import { openPruner } from './upkeep/pruner.ts'
import { openShardLease } from './upkeep/shard-lease.ts'
import { openSweep } from './upkeep/sweep.ts'
import { openTeamPauses } from './upkeep/team-pauses.ts'

export type Courier = CourierHints & {
  /** Starts nothing more, lets attempts end, commits every outcome, and gives up its shards. */
  stop(): Promise<void>
}

type CourierOptions = {
  /**
   * No other courier that runs is called so. A courier that comes back under its name has its
   * shards at once; under another one it waits until the lease of its earlier life lapses.
   */
  name: string
  egress: Egress
  known: KnownNumbers
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  tiers: ReadonlyMap<string, Tier>
  /** Where teams are sent whose month is used up. */
  publicUrl: string
}

/** How often due deliveries are looked for, and hosts with an open breaker get their chance. */
const SWEEP_EVERY_MS = 500

/** Changes act within a second. */
const LOOK_EVERY_MS = 1000

/** Ends before the rest of the process does. */
const STOP_MS_MAX = 8000

export function openCourier(world: World, options: CourierOptions): Courier {
  const { clock, signals } = world
  const { failed, dispatch, lease, pauses, pruner, sweeps, look, named, hinted, restore } =
    openParts(world, options)
  const { webhooks } = dispatch
  const ends = [
    // The id of a webhook that was changed or is sent something again, or nothing.
    signals.subscribe('webhooks', (webhookId) => {
      if (webhookId !== '') named.remind([webhookId])
      look.ask()
    }),
    signals.subscribe(DELIVERIES_TOPIC, hinted.hear),
    clock.every(SWEEP_EVERY_MS, sweeps.ask),
    clock.every(LOOK_EVERY_MS, () => {
      restore.ask()
      look.ask()
      pauses.checkAll()
    }),
  ]

  return {
    remind(event) {
      const isAllOurs = webhooks.offer(event)
      dispatch.run()
      if (!isAllOurs) hintOf(signals, event, options.name)
      pauses.checkBacklogs(event)
    },
    remindWebhooks: named.remind,
    async stop() {
      for (const end of ends) end()
      const finished = dispatch.finish().then(lease.leave).catch(failed)
      await within(clock, STOP_MS_MAX, finished, () => {})
      dispatch.close()
      lease.stop()
      await Promise.all([pruner, pauses].map((one) => one.stop()))
      await Promise.all([look, sweeps, named, hinted, restore].map((one) => one.idle()))
    },
  }
}

function openParts(world: World, options: CourierOptions) {
  const { database, telemetry } = world
  const { name, settings, tiers, publicUrl } = options
  const failed = (thrown: unknown) => {
    telemetry.log('warn', 'courier_failed', { reason: errorText(thrown) })
    telemetry.count('headgate_courier_failures_total', {})
  }
  const sweep = openSweep(world)
  const pauses = openTeamPauses(world, {
    tiers,
    publicUrl,
    failed,
    paused(numbers) {
      dispatch.webhooks.changed(numbers)
      dispatch.run()
    },
  })
  const lease = openShardLease(world, {
    name,
    settings,
    failed,
    taken(shards) {
      dispatch.webhooks.resume(shards)
      sweep.restart()
      sweeps.ask()
    },
    renewed: () => dispatch.run(),
    withdraw: () => dispatch.webhooks.withdraw(),
    lost: () => dispatch.drop(),
  })
  const dispatch = openDispatch(world, { ...options, lease, failed, billed: pauses.checkUsage })
  const sweeps = coalesced(async () => {
    const { due, waiting, ...round } = await sweep.next()
    dispatch.webhooks.remindOfDue(due)
    dispatch.webhooks.swept(waiting, round)
    dispatch.probe()
  }, failed)
  const look = coalesced(dispatch.refresh, failed)
  const restore = coalesced(options.known.restore, failed)
  const pruner = openPruner(world, failed)
  const named = openNamedWebhooks(database, dispatch, failed)
  const hinted = openHintedEvents(database, { name, dispatch, lease, failed })
  return { failed, dispatch, lease, pauses, pruner, sweeps, look, named, hinted, restore }
}

/** Reminds the courier of webhooks by their public ids. */
function openNamedWebhooks(
  database: Database,
  dispatch: Dispatch,
  failed: (thrown: unknown) => void,
) {
  const ids = new Set<string>()
  const find = coalesced(async () => {
    const some = [...ids]
    ids.clear()
    const numbers = await webhookNumbers(database, some)
    dispatch.webhooks.reread([...numbers.values()])
    dispatch.run()
  }, failed)
  return {
    remind(webhookIds: readonly string[]) {
      for (const id of webhookIds) ids.add(id)
      find.ask()
    },
    idle: find.idle,
  }
}
