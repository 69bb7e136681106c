import type { ListedDelivery } from './delivery-log.ts'
import type { Forwarded } from './forward-delivery.ts'

/** One delivery on its way; `isAgain`: it was forwarded before, and was sent again since. */
export type OnItsWay = { delivery: ListedDelivery; isAgain: boolean }

type QueueWork = {
  forward(outgoing: OnItsWay, triesMax: number): Promise<Forwarded>
  /** Hears how it went, in the order in which deliveries of a webhook end. */
  forwarded(outgoing: OnItsWay, how: Forwarded): void
  /** Hears that a queue is too long: the oldest that waits is left out. */
  leftOut(outgoing: OnItsWay): void
  failed(thrown: unknown): void
  triesMax: number
}

export type ForwardQueues = ReturnType<typeof openForwardQueues>

type Queue = { queue: OnItsWay[]; isRunning: boolean; wasDown: boolean }

const QUEUE_MAX = 10_000

/** A queue for each webhook: its deliveries go in their order, and wait for no other webhook. */
export function openForwardQueues(work: QueueWork) {
  const queues = new Map<string, Queue>()

  const run = async (queue: Queue) => {
    queue.isRunning = true
    try {
      for (let next = queue.queue[0]; next !== undefined; next = queue.queue[0]) {
        // An app that is down for long gets one try each, or the queue would fall behind for ever.
        const how = await work.forward(next, queue.wasDown ? 1 : work.triesMax)
        queue.wasDown = how.outcome === 'down'
        work.forwarded(next, how)
        queue.queue.shift()
      }
    } catch (thrown) {
      work.failed(thrown)
    } finally {
      queue.isRunning = false
    }
  }
  return {
    /** The number of deliveries that wait, including those on their way. */
    get waiting() {
      return [...queues.values()].reduce((sum, { queue }) => sum + queue.length, 0)
    },
    add(outgoing: OnItsWay) {
      const { webhook_id: webhook } = outgoing.delivery
      const queue = queues.get(webhook) ?? { queue: [], isRunning: false, wasDown: false }
      queues.set(webhook, queue)
      queue.queue.push(outgoing)
      // The first one is on its way.
      const [oldest] = queue.queue.length > QUEUE_MAX ? queue.queue.splice(1, 1) : []
      if (oldest) work.leftOut(oldest)
      if (!queue.isRunning) void run(queue)
    },
  }
}
