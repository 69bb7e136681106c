import { MARGIN_MS, RENEW_EVERY_MS } from '../../src/courier/upkeep/shard-lease.ts'
import { SHARDS } from '../../src/tables/deliveries/shards.ts'
import { burstOf, deliveriesPerSecond } from './capacity-of.ts'
import type { Load } from './load.ts'

/** The most that couriers are behind, as long as all live and after one of them is killed. */
export type Lateness = {
  /** From the commit of a delivery until it is sent, while all live. */
  steadyLagS: number
  /** Until another process has the shards of the one that is gone. */
  takeoverS: number
  /** Deliveries that wait at the worst moment. */
  backlogMax: number
  /** Until nothing of it is left; nothing is sent later than this either. */
  recoveredS: number
}

/** A courier with the default time limit of an attempt. */
export const TIMEOUT_MS = 5000

/**
 * Blocks of a network bring no more than one burst and its average rate in any time, and the
 * same is true of the sum over all networks. Whoever sends at a higher rate is never behind by
 * more than that one burst (the bound of network calculus for a leaky bucket).
 */
export function latenessOf(load: Load, couriers: number, perSecondEach: number): Lateness {
  const [wanted, burst] = [deliveriesPerSecond(load), burstOf(load)]
  const takeoverS = (TIMEOUT_MS + MARGIN_MS + RENEW_EVERY_MS) / 1000
  const backlogMax = burst + wanted * shareOf(couriers) * takeoverS
  const spare = rateOf(couriers - 1, perSecondEach) - wanted
  const rate = rateOf(couriers, perSecondEach)
  return {
    steadyLagS: rate > wanted ? burst / rate : Number.POSITIVE_INFINITY,
    takeoverS,
    backlogMax: spare > 0 ? backlogMax : Number.POSITIVE_INFINITY,
    recoveredS: spare > 0 ? takeoverS + backlogMax / spare : Number.POSITIVE_INFINITY,
  }
}

/** The rate at which all can send together when the one with most shards is full. */
function rateOf(couriers: number, perSecondEach: number): number {
  return couriers === 0 ? 0 : perSecondEach / shareOf(couriers)
}

/** The share of all shards that a courier has at most. */
function shareOf(couriers: number): number {
  return Math.ceil(SHARDS / couriers) / SHARDS
}
