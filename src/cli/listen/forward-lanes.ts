import type { ListedDelivery } from './delivery-log.ts'
import type { Forwarded } from './forward-delivery.ts'

/** One delivery on its way; `isAgain`: it was forwarded before, and was sent again since. */
export type OnItsWay = { delivery: ListedDelivery; isAgain: boolean }

type LaneNeeds = {
  /** Forwards one delivery, with at most so many tries. */
  forward(outgoing: OnItsWay, triesMax: number): Promise<Forwarded>
  /** Hears how it went, in the order in which deliveries of a webhook end. */
  forwarded(outgoing: OnItsWay, how: Forwarded): void
  /** Hears that a lane is too long: the oldest that waits is left out. */
  leftOut(outgoing: OnItsWay): void
  failed(thrown: unknown): void
  triesMax: number
}

/** A lane for each webhook: its deliveries go in their order, and wait for no other webhook. */
export type ForwardLanes = {
  add(outgoing: OnItsWay): void
  /** How many wait, those on their way included. */
  readonly waiting: number
}

type Lane = { queue: OnItsWay[]; isRunning: boolean; wasDown: boolean }

/** Deliveries of one webhook that wait for the local app. */
const LANE_MAX = 10_000

export function openForwardLanes(needs: LaneNeeds): ForwardLanes {
  const lanes = new Map<string, Lane>()

  const run = async (lane: Lane) => {
    lane.isRunning = true
    try {
      for (let next = lane.queue[0]; next !== undefined; next = lane.queue[0]) {
        // An app that is down for long gets one try each, or the lane would fall behind for ever.
        const how = await needs.forward(next, lane.wasDown ? 1 : needs.triesMax)
        lane.wasDown = how.outcome === 'down'
        needs.forwarded(next, how)
        lane.queue.shift()
      }
    } catch (thrown) {
      needs.failed(thrown)
    } finally {
      lane.isRunning = false
    }
  }
  return {
    get waiting() {
      return [...lanes.values()].reduce((sum, { queue }) => sum + queue.length, 0)
    },
    add(outgoing) {
      const { webhook_id: webhook } = outgoing.delivery
      const lane = lanes.get(webhook) ?? { queue: [], isRunning: false, wasDown: false }
      lanes.set(webhook, lane)
      lane.queue.push(outgoing)
      // The first one is on its way.
      const [oldest] = lane.queue.length > LANE_MAX ? lane.queue.splice(1, 1) : []
      if (oldest) needs.leftOut(oldest)
      if (!lane.isRunning) void run(lane)
    },
  }
}
