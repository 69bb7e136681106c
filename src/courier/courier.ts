import { coalesced } from '../core/async/coalesced.ts'
import { within } from '../core/async/within.ts'
import { errorText } from '../core/errors.ts'
import type { CourierNeeds } from './courier-needs.ts'
import { openDispatch } from './dispatch.ts'
import { type CourierHints, DELIVERIES_TOPIC, hintOf } from './hint-couriers.ts'
import { openHintedEvents } from './upkeep/hinted-events.ts'
import { openNamedWebhooks } from './upkeep/named-webhooks.ts'
import { openPruner } from './upkeep/pruner.ts'
import { openShardLease } from './upkeep/shard-lease.ts'
import { openSweep } from './upkeep/sweep.ts'
import { openTeamPauses } from './upkeep/team-pauses.ts'

/** Sends deliveries: those of an event that it is told of, to our shards, from memory. */
export type Courier = CourierHints & {
  /** Starts nothing more, lets attempts end, commits every outcome, and gives up its shards. */
  stop(): Promise<void>
}

/** How often due deliveries are looked for, and hosts with an open breaker get their chance. */
const SWEEP_EVERY_MS = 500

/** Changes act within a second. */
const LOOK_EVERY_MS = 1000

/** Ends before the rest of the process does. */
const STOP_MS_MAX = 8000

/** Brings every committed delivery to its destination. */
export function openCourier(needs: CourierNeeds): Courier {
  const { clock, signals } = needs
  const { failed, dispatch, lease, pauses, pruner, sweeps, look, named, hinted, restore } =
    openParts(needs)
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
      if (!isAllOurs) hintOf(signals, event, needs.name)
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

function openParts(needs: CourierNeeds) {
  const { telemetry } = needs
  const failed = (thrown: unknown) => {
    telemetry.log('warn', 'courier_failed', { reason: errorText(thrown) })
    telemetry.count('headgate_courier_failures_total', {})
  }
  const sweep = openSweep(needs)
  const pauses = openTeamPauses({
    ...needs,
    failed,
    paused(numbers) {
      dispatch.webhooks.changed(numbers)
      dispatch.run()
    },
  })
  const lease = openShardLease({
    ...needs,
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
  const dispatch = openDispatch({ ...needs, lease, failed, billed: pauses.checkUsage })
  const sweeps = coalesced(async () => {
    const { due, waiting, ...round } = await sweep.next()
    dispatch.webhooks.remindOfDue(due)
    dispatch.webhooks.swept(waiting, round)
    dispatch.probe()
  }, failed)
  const look = coalesced(dispatch.refresh, failed)
  const restore = coalesced(needs.known.restore, failed)
  const pruner = openPruner({ ...needs, failed })
  const named = openNamedWebhooks({ ...needs, dispatch, failed })
  const hinted = openHintedEvents({ ...needs, dispatch, lease, failed })
  return { failed, dispatch, lease, pauses, pruner, sweeps, look, named, hinted, restore }
}
