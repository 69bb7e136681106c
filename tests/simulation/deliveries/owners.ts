import { shardOf } from '../../../src/tables/deliveries/shards.ts'
import type { ChangeOf, CourierRow } from './journal-changes.ts'

/** A courier's lease as it is committed. */
type Lease = {
  row: CourierRow
  /** The life that has the token; null once somebody else has raised it. */
  life: string | null
  /** When it lapses by the clock of who has written it, in the time of the run. */
  untilMs: number
}

/** Who may send and settle what. */
export type Owners = {
  leases: Map<string, Lease>
  /** The highest token that each courier ever had. */
  tokens: Map<string, number>
  shards: Map<number, { courier: string | null; turn: number }>
}

export function openOwners(): Owners {
  return { leases: new Map(), tokens: new Map(), shards: new Map() }
}

/** The lease under which a life may settle deliveries of a webhook; null when it may not. */
export function leaseOf({ leases, shards }: Owners, webhook: number, life: string): Lease | null {
  const courier = shards.get(shardOf(webhook))?.courier ?? null
  const lease = courier === null ? undefined : leases.get(courier)
  return lease?.life === life ? lease : null
}

/** The time during which one life has a webhook's shard without a break. */
export function epochOf({ leases, shards }: Owners, webhook: number): string {
  const { courier = null, turn = 0 } = shards.get(shardOf(webhook)) ?? {}
  return `${courier}/${courier === null ? 0 : leases.get(courier)?.row.token}/${turn}`
}

export function enterOwner(
  owners: Owners,
  change: ChangeOf<'couriers'> | ChangeOf<'shards'>,
  by: { life: string; wallMs: number; elapsedMs: number },
): void {
  if (change.table === 'shards') {
    const { shard, courier } = change.now ?? { shard: change.old?.shard ?? -1, courier: null }
    const before = owners.shards.get(shard)
    const turn = (before?.turn ?? 0) + (before?.courier === courier ? 0 : 1)
    owners.shards.set(shard, { courier, turn })
    return
  }
  const { old, now } = change
  if (!now) return void owners.leases.delete(old?.courier ?? '')
  const known = owners.leases.get(now.courier)
  const isSameToken = known?.row.token === now.token
  const life = isSameToken ? known.life : isOwn(now.courier, by.life) ? by.life : null
  const untilMs = by.elapsedMs + now.until_ms - by.wallMs
  owners.leases.set(now.courier, { row: now, life, untilMs })
  owners.tokens.set(now.courier, Math.max(now.token, owners.tokens.get(now.courier) ?? 0))
}

/** A life is called after its courier, with a number that counts its starts. */
export function isOwn(courier: string, life: string): boolean {
  return life === courier || life.replace(/\d+$/, '') === courier
}
