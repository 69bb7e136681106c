import { assert } from '../../core/errors.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { bumpRevision } from '../sql/revisions.ts'

/**
 * A courier's lease with its fencing token. What is written under it is written only while the
 * token is the courier's last one, and renews the lease.
 */
export type Fence = { courier: string; token: number; untilMs: number }

/** A courier that was not heard of for so long is not remembered any more. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

/** Longer than any lease: one that ends later was taken by a clock that was wrong. */
const LEASE_MS_MAX = 60_000

/** More couriers than that share parts, and wait for each other's commits now and then. */
const COURIER_PARTS = 16

/** Webhooks are spread over so many shards by the low bits of their numbers. */
export const SHARDS = 256

export function shardOf(webhook: number): number {
  return webhook & (SHARDS - 1)
}

/** A new life of a courier: what an earlier one of the same name writes is refused. Its token. */
export function joinCouriers(
  db: Database,
  courier: string,
  nowMs: number,
  untilMs: number,
): Promise<number> {
  assert(untilMs > nowMs, 'a lease ends later')
  return db.transaction(async (tx) => {
    await tx.query(sql`
      DELETE FROM couriers
      WHERE until_ms < ${nowMs - FORGOTTEN_AFTER_MS} AND NOT EXISTS (
        SELECT 1 FROM shards WHERE shards.courier = couriers.courier)`)
    const token = await bumpRevision(tx, 'couriers')
    await tx.query(sql`
      INSERT INTO couriers (courier, token, until_ms) VALUES (${courier}, ${token}, ${untilMs})
      ON CONFLICT (courier) DO UPDATE SET token = excluded.token, until_ms = excluded.until_ms`)
    return token
  })
}

/**
 * False when the courier is fenced. What is carried out late does not shorten the lease that was
 * granted since.
 */
export async function renewLease(
  db: Database,
  { courier, token, untilMs }: Fence,
): Promise<boolean> {
  const renewed = await db.query(sql`
    UPDATE couriers SET until_ms =
      CASE WHEN until_ms > ${untilMs} AND until_ms <= ${untilMs + LEASE_MS_MAX}
        THEN until_ms ELSE ${untilMs} END
    WHERE courier = ${courier} AND token = ${token} RETURNING courier`)
  return renewed.length === 1
}

/**
 * The part of sums that a courier adds to. Tokens are counted up, so couriers that came one after
 * the other have different parts.
 */
export function partOfCourier({ token }: Fence): string {
  return `courier ${token % COURIER_PARTS}`
}

/**
 * All shards that are the courier's then: those it has, then free ones and those of couriers
 * whose lease lapsed, which are fenced with it, until it has `wanted`. None when it is fenced
 * itself. What it has beyond that it keeps until it releases it.
 */
export function takeShards(
  db: Database,
  fence: Fence,
  nowMs: number,
  wanted: number,
): Promise<number[]> {
  const { courier } = fence
  return db.transaction(async (tx) => {
    if (!(await renewLease(tx, fence))) return []
    // Fenced before their shards are given to anybody: what they send from now on is not written.
    const lapsed = await tx.query<{ courier: string }>(sql`
      SELECT courier FROM couriers
      WHERE until_ms <= ${nowMs} AND courier <> ${courier} AND EXISTS (
        SELECT 1 FROM shards WHERE shards.courier = couriers.courier)`)
    for (const { courier: gone } of lapsed) {
      const fenced = await tx.query(sql`
        UPDATE couriers SET token = ${await bumpRevision(tx, 'couriers')}
        WHERE courier = ${gone} AND until_ms <= ${nowMs} RETURNING token`)
      // PostgreSQL waits for its renewal, if one is under way.
      if (fenced.length === 1) await freeShards(tx, gone)
    }

    const mine = await shardsOf(tx, courier)
    if (mine.length >= wanted) return mine
    const taken = await tx.query<{ shard: number }>(sql`
      UPDATE shards SET courier = ${courier} WHERE courier IS NULL AND shard IN (
        SELECT shard FROM shards WHERE courier IS NULL
        ORDER BY shard LIMIT ${wanted - mine.length})
      RETURNING shard`)
    return [...mine, ...taken.map(({ shard }) => shard)].sort((a, b) => a - b)
  })
}

/** Gives shards up, once what was in flight of them has been settled. */
export async function releaseShards(
  db: Database,
  { courier, token }: Fence,
  shards: readonly number[],
): Promise<void> {
  if (shards.length === 0) return
  await db.query(sql`
    UPDATE shards SET courier = NULL
    WHERE courier = ${courier} AND shard IN ${sqlRows([shards])} AND EXISTS (
      SELECT 1 FROM couriers WHERE courier = ${courier} AND token = ${token})`)
}

export async function liveCouriers(db: Database, nowMs: number): Promise<number> {
  const [counted] = await db.query<{ count: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS count FROM couriers WHERE until_ms > ${nowMs}`)
  return counted?.count ?? 0
}

/** At a graceful stop: its shards are free at once. */
export function leaveCouriers(db: Database, { courier, token }: Fence): Promise<void> {
  return db.transaction(async (tx) => {
    const left = await tx.query(sql`
      DELETE FROM couriers WHERE courier = ${courier} AND token = ${token} RETURNING token`)
    if (left.length === 1) await freeShards(tx, courier)
  })
}

async function freeShards(tx: Database, courier: string): Promise<void> {
  await tx.query(sql`UPDATE shards SET courier = NULL WHERE courier = ${courier}`)
}

async function shardsOf(tx: Database, courier: string): Promise<number[]> {
  const rows = await tx.query<{ shard: number }>(sql`
    SELECT shard FROM shards WHERE courier = ${courier} ORDER BY shard`)
  return rows.map(({ shard }) => shard)
}
