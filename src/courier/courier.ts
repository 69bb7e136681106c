import type { EventNews } from '../tables/chain/chain-events.ts'
import type { CourierNeeds } from './courier-needs.ts'
import { openDispatch } from './dispatch.ts'
import { inTurn } from './in-turn.ts'
import { openCapacityWatch } from './upkeep/pause-over-limit.ts'
import { openPruner } from './upkeep/prune.ts'
import { openSweep } from './upkeep/sweep.ts'

export type Courier = {
  /**
   * These webhooks have something to send: the new deliveries of an event, or without an
   * event anything. Best effort: what is not said a sweep finds.
   */
  remind(webhookIds: readonly string[], event?: EventNews): void
  /** Claims nothing more, lets what is on its way end, and commits every outcome. */
  stop(): Promise<void>
}

/** What became due is looked for so often, and hosts that were given up get their chance. */
const SWEEP_EVERY_MS = 500

/** Changes act within a second. */
const LOOK_EVERY_MS = 1000

/** Results of one event that may fill a backlog before the next look at all of them. */
const LARGE_EVENT_BYTES = 2 ** 20

/** Brings every committed delivery to its destination. */
export function openCourier(needs: CourierNeeds): Courier {
  const { clock, signals, telemetry } = needs
  const failed = (thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    telemetry.log('warn', 'courier_trouble', { reason })
    telemetry.count('headgate_courier_troubles_total', {})
  }
  const capacity = openCapacityWatch({
    ...needs,
    failed,
    paused: (webhookIds) => dispatch.changed(webhookIds),
  })
  const dispatch = openDispatch({ ...needs, failed, billed: (ids) => capacity.check(ids) })
  const sweep = openSweep(needs)
  const pruner = openPruner({ ...needs, failed })

  const look = inTurn(() => dispatch.refresh(), failed)
  let isStarted = false
  const sweeps = inTurn(async () => {
    if (!isStarted) {
      await sweep.begin()
      isStarted = true
      dispatch.start()
    }
    dispatch.probe()
    dispatch.remind(await sweep.next())
  }, failed)
  const ends = [
    // The id of a webhook that was changed or is sent something anew, or nothing.
    signals.subscribe('webhooks', (webhookId) => {
      if (webhookId !== '') dispatch.remind([webhookId])
      look.ask()
    }),
    clock.every(SWEEP_EVERY_MS, sweeps.ask),
    clock.every(LOOK_EVERY_MS, () => {
      look.ask()
      capacity.checkAll()
    }),
  ]
  sweeps.ask()

  return {
    remind(webhookIds, event) {
      dispatch.remind(webhookIds, event)
      if (event && isLarge(event)) capacity.checkBacklogs()
    },
    async stop() {
      for (const end of ends) end()
      await Promise.all([dispatch.stop(), pruner.stop(), capacity.stop()])
      await Promise.all([look.rest(), sweeps.rest()])
    },
  }
}

function isLarge({ deliveries }: EventNews): boolean {
  let bytes = 0
  for (const { dataBytes } of deliveries) bytes += dataBytes
  return bytes > LARGE_EVENT_BYTES
}
