import { DELIVERIES_READ_MAX } from '../../src/courier/upkeep/hinted-events.ts'
import { SHARDS } from '../../src/tables/deliveries/shards.ts'
import type { Capacity } from './capacity-of.ts'
import type { Figures } from './figures.ts'
import type { Load } from './load.ts'

/** Something of which there is one, however many processes there are. */
export type NextLimit = { what: string; used: number; most: number; unit: string }

/** The limits that more processes do not move, the one that is reached first at the top. */
export function nextLimits(figures: Figures, load: Load, capacity: Capacity): NextLimit[] {
  const { exchange, followers, couriers, postgres } = capacity
  const matches = (load.webhooks / load.networks.length) * load.matchingShare
  const fastestMs = Math.min(...load.networks.map(({ blockTimeMs }) => blockTimeMs))
  const limits: NextLimit[] = [
    {
      what: 'lines of usage, which all gateways add to, one after the other',
      used: postgres.usageRowsPerSecond,
      most: figures.usageRowsPerSecond,
      unit: 'a second',
    },
    {
      what: 'event loop of a follower, for the fastest network alone',
      used: followers.busiestNetworkShare * 100,
      most: 100,
      unit: '%',
    },
    {
      what: 'limit frames by NOTIFY, whose commits go one after the other',
      used: exchange.framesPerSecond,
      most: figures.notifiesPerSecond,
      unit: 'a second',
    },
    {
      what: 'retention by size, row by row, under one lock',
      used: couriers.deliveriesPerSecond,
      most: figures.prunesPerSecond,
      unit: 'a second',
    },
    {
      what: 'deliveries of an event that a courier reads at a hint',
      used: matches,
      most: DELIVERIES_READ_MAX,
      unit: 'deliveries',
    },
    {
      what: 'commits of the fastest network, by one follower',
      used: (matches * 1000) / fastestMs,
      most: figures.createPerSecond,
      unit: 'deliveries a second',
    },
    { what: 'couriers with a shard', used: couriers.processes, most: SHARDS, unit: 'processes' },
  ]
  return limits.toSorted((one, other) => other.used / other.most - one.used / one.most)
}
