import { SHARDS } from '../../src/tables/deliveries/shards.ts'

/** Deliveries that wait, by shard, each with the moment it became due. */
export type ShardQueues = {
  push(shard: number, dueMs: number): void
  /** Sends the oldest; false when nothing waits there. */
  take(shard: number, nowMs: number): boolean
  waiting(): number
  pushed(): number
  /** The longest that any has waited, those that still do included. */
  lagMaxMs(): number
}

type Queue = { due: number[]; head: number }

/** Sent ones are dropped so many at a time. */
const DROPPED_AT_ONCE = 4096

export function openShardQueues(): ShardQueues {
  const queues = Array.from({ length: SHARDS }, (): Queue => ({ due: [], head: 0 }))
  let [waiting, pushed, lagMaxMs, lastMs] = [0, 0, 0, 0]
  return {
    push(shard, dueMs) {
      queues[shard]?.due.push(dueMs)
      waiting += 1
      pushed += 1
    },
    take(shard, nowMs) {
      const queue = queues[shard]
      const dueMs = queue?.due[queue.head]
      if (!queue || dueMs === undefined) return false
      lastMs = nowMs
      lagMaxMs = Math.max(lagMaxMs, nowMs - dueMs)
      waiting -= 1
      if (++queue.head === DROPPED_AT_ONCE) {
        queue.due = queue.due.slice(queue.head)
        queue.head = 0
      }
      return true
    },
    waiting: () => waiting,
    pushed: () => pushed,
    lagMaxMs() {
      const oldest = queues.map(({ due, head }) => lastMs - (due[head] ?? lastMs))
      return Math.max(lagMaxMs, ...oldest)
    },
  }
}
