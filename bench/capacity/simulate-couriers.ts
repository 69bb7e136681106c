import { openShardLease, type ShardLease } from '../../src/courier/upkeep/shard-lease.ts'
import type { Database } from '../../src/ports/database.ts'
import { openMachineSignals } from '../../src/ports/driver-parts/machine-signals.ts'
import { SHARDS, shardOf } from '../../src/tables/deliveries/shards.ts'
import { freshStore } from '../../tests/fresh-store.ts'
import { type Chance, seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { TIMEOUT_MS } from './courier-loss.ts'
import type { Load } from './load.ts'
import { openShardQueues, type ShardQueues } from './shard-queues.ts'

export type CourierRun = {
  load: Load
  couriers: number
  perSecondEach: number
  seed: number
  /** One of them is killed after this, and the run goes on for the time after it. */
  killAtS: number
  afterS: number
}

/** What came of it, for all that was due before the kill and after it. */
export type CourierReport = {
  deliveries: number
  steadyLagS: number
  backlogMax: number
  lagMaxS: number
  /** From the kill until no more waited than one burst; infinite when that never was. */
  recoveredS: number
  backlogAtEnd: number
}

type SimCourier = { lease: ShardLease; isAlive: boolean; shard: number }

const STEP_MS = 100

/** Couriers share the shards within it, before the first block comes. */
const SETTLED_MS = 20_000

/**
 * Blocks of all networks come at their times, each with deliveries for webhooks by chance, and
 * couriers send them at the measured rate. Which courier has which shards, and who takes them
 * over, is decided by the product's own leases, on a clock that is moved by hand.
 */
export async function simulateCouriers(run: CourierRun, burst: number): Promise<CourierReport> {
  const { load, couriers: count, perSecondEach, seed, killAtS, afterS } = run
  const clock = testClock()
  const database = await freshStore()
  const couriers = openCouriers(clock, database, count)
  await clock.advance(SETTLED_MS)
  const startedMs = clock.monotonicMs()
  const blocks = openBlocks(load, seededChance(seed))
  const queues = openShardQueues()
  let [backlogMax, steadyLagMs, recoveredMs] = [0, 0, Number.POSITIVE_INFINITY]
  const endMs = (killAtS + afterS) * 1000
  for (let atMs = 0; atMs < endMs; atMs += STEP_MS) {
    if (atMs === killAtS * 1000) {
      steadyLagMs = queues.lagMaxMs()
      kill(couriers[0])
    }
    blocks.until(atMs + STEP_MS, (webhook, dueMs) => queues.push(shardOf(webhook), dueMs))
    await clock.advance(STEP_MS)
    const nowMs = clock.monotonicMs() - startedMs
    for (const courier of couriers) send(courier, queues, (perSecondEach * STEP_MS) / 1000, nowMs)
    backlogMax = Math.max(backlogMax, queues.waiting())
    if (queues.waiting() > burst) recoveredMs = Number.POSITIVE_INFINITY
    else recoveredMs = Math.min(recoveredMs, Math.max(0, nowMs - killAtS * 1000))
  }
  for (const { lease } of couriers) lease.stop()
  await database.close()
  return {
    deliveries: queues.pushed(),
    steadyLagS: steadyLagMs / 1000,
    backlogMax,
    lagMaxS: queues.lagMaxMs() / 1000,
    recoveredS: recoveredMs / 1000,
    backlogAtEnd: queues.waiting(),
  }
}

function openCouriers(clock: TestClock, database: Database, count: number): SimCourier[] {
  const signals = openMachineSignals()
  return Array.from({ length: count }, (_, at) => {
    const lease = openShardLease(testWorld({ clock, database, signals }), {
      name: `courier_${at}`,
      settings: { timeoutMs: TIMEOUT_MS },
      taken() {},
      renewed() {},
      withdraw: () => new Set(),
      lost() {},
      failed(thrown) {
        throw thrown
      },
    })
    return { lease, isAlive: true, shard: 0 }
  })
}

/** It is gone without a word: its lease lapses. */
function kill(courier: SimCourier | undefined): void {
  if (!courier) return
  courier.isAlive = false
  courier.lease.stop()
}

/** Sends as much as it can in this time, shard after shard, the oldest of each first. */
function send(courier: SimCourier, queues: ShardQueues, room: number, nowMs: number): void {
  const { lease } = courier
  if (!courier.isAlive || !lease.outlastsAttempt()) return
  let left = Math.floor(room)
  for (let idle = 0; left > 0 && idle < SHARDS; ) {
    courier.shard = (courier.shard + 1) % SHARDS
    const isSent = lease.owns(courier.shard) && queues.take(courier.shard, nowMs)
    idle = isSent ? 0 : idle + 1
    if (isSent) left -= 1
  }
}

/** The blocks of all networks in the order of their times. */
function openBlocks(load: Load, chance: Chance) {
  const { networks, webhooks, matchingShare, blockJitter } = load
  const matches = (webhooks / networks.length) * matchingShare
  const chains = networks.map(({ blockTimeMs }) => {
    return { blockTimeMs, height: 0, offsetMs: chance.fraction() * blockTimeMs, nextMs: 0 }
  })
  const schedule = (chain: (typeof chains)[number]) => {
    const late = (chance.fraction() * 2 - 1) * blockJitter
    chain.nextMs = chain.offsetMs + (++chain.height + late) * chain.blockTimeMs
  }
  chains.forEach(schedule)
  return {
    until(endMs: number, due: (webhook: number, dueMs: number) => void): void {
      for (const chain of chains) {
        for (; chain.nextMs < endMs; schedule(chain)) {
          // As many as chance has it, about the average.
          const spread = Math.sqrt(matches) * (chance.fraction() + chance.fraction() - 1) * 2
          const count = Math.max(0, Math.round(matches + spread))
          for (let at = 0; at < count; at++) due(chance.between(1, webhooks), chain.nextMs)
        }
      }
    },
  }
}
