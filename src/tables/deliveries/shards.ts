import type { Database } from '../../ports/database.ts'

/** Webhooks are spread over so many shards by the low bits of their numbers. */
export const SHARDS = 256

/**
 * A courier's lease with its fencing token. What is written under it is written only while the
 * token is the courier's last one, and renews the lease.
 */
export type Fence = { courier: string; token: number; untilMs: number }

export function shardOf(webhook: number): number {
  return webhook & (SHARDS - 1)
}

/** A new life of a courier: what an earlier one of the same name writes is refused. Its token. */
export async function joinCouriers(
  db: Database,
  courier: string,
  nowMs: number,
  untilMs: number,
): Promise<number> {
  throw new Error(`not written yet: ${db} ${courier} ${nowMs} ${untilMs}`)
}

/** False when the courier is fenced. */
export async function renewLease(db: Database, fence: Fence): Promise<boolean> {
  throw new Error(`not written yet: ${db} ${fence}`)
}

/**
 * The shards that are the courier's then: those it has, then free ones and those of couriers
 * whose lease lapsed, which are fenced with it; at most `wanted` in all. None when it is fenced
 * itself. What it has beyond `wanted` it keeps until it releases it.
 */
export async function takeShards(
  db: Database,
  fence: Fence,
  nowMs: number,
  wanted: number,
): Promise<number[]> {
  throw new Error(`not written yet: ${db} ${fence} ${nowMs} ${wanted}`)
}

/** Gives shards up, once what was in flight of them has been settled. */
export async function releaseShards(
  db: Database,
  fence: Fence,
  shards: readonly number[],
): Promise<void> {
  throw new Error(`not written yet: ${db} ${fence} ${shards}`)
}

/** How many couriers have a lease that has not lapsed. */
export async function liveCouriers(db: Database, nowMs: number): Promise<number> {
  throw new Error(`not written yet: ${db} ${nowMs}`)
}

/** At a graceful stop: its shards are free at once. */
export async function leaveCouriers(db: Database, fence: Fence): Promise<void> {
  throw new Error(`not written yet: ${db} ${fence}`)
}
