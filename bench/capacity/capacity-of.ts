import { SLOTS_MAX } from '../../src/courier/schedule/allocate-slots.ts'
import { LOG_BYTES_MAX } from '../../src/courier/upkeep/pruner.ts'
import { PACE_BETWEEN_MACHINES } from '../../src/metering/limit-exchange.ts'
import { SHARDS } from '../../src/tables/deliveries/shards.ts'
import type { Figures } from './figures.ts'
import type { Load, Machines } from './load.ts'

/** How many processes of each role a load takes, and what passes between them. */
export type Capacity = {
  gateways: {
    cores: number
    /** Each has one process for every core: the main one and workers. */
    machines: number
    clientBytesPerSecond: number
    upstreamBytesPerSecond: number
  }
  exchange: {
    /** Teams that a machine tells of at a time. */
    teamsPerTick: number
    framesPerSecond: number
    /** Of one machine, to all and from all others. */
    sentBytesPerSecond: number
    heardBytesPerSecond: number
    coresEach: number
  }
  followers: {
    blocksPerSecond: number
    /** The sum over all networks, of the event loop of the one process that may have them all. */
    busyShare: number
    /** The same for the network that has most. */
    busiestNetworkShare: number
    processes: number
    memoryBytesEach: number
    startSeconds: number
  }
  couriers: CourierCapacity
  postgres: {
    cores: number
    walBytesPerSecond: number
    diskBytesPerDay: number
    rowsPerDay: number
    /** How long the log is until it is too large and its beginning goes. */
    logSeconds: number
    /** Lines of usage that gateways would write if they could, twice a second. */
    usageRowsPerSecond: number
    /** How often each of them gets to write; a process that is killed loses as much. */
    usageEveryS: number
    /** Connections of all processes at their fullest, with the default `connectionsMax`. */
    connections: number
  }
}

export type CourierCapacity = {
  deliveriesPerSecond: number
  /** The most that one process sends. */
  perSecondEach: number
  processes: number
  bytesPerSecond: number
}

const TICKS_PER_SECOND = 1000 / PACE_BETWEEN_MACHINES.periodMs

/** Usage is written so often. */
const USAGE_WRITES_PER_SECOND = 2

const DAY_S = 86_400

/** The default of `postgres.connectionsMax`, and three for signals and probes. */
const CONNECTIONS_EACH = 10 + 3

/** A gateway worker looks keys up and probes. */
const CONNECTIONS_OF_WORKER = 2 + 1

/** The management API has this many processes, for the sake of one that fails. */
const API_PROCESSES = 2

/** The processes and machines for a load, from what single calls and deliveries cost. */
export function capacityOf(figures: Figures, load: Load, machines: Machines): Capacity {
  const gateways = gatewaysFor(figures, load, machines)
  const couriers = couriersFor(figures, load, machines)
  const followers = followersFor(figures, load, machines)
  const others = followers.processes + couriers.processes + API_PROCESSES
  const workers = gateways.machines * (machines.coresEach - 1)
  return {
    gateways,
    exchange: exchangeOf(figures, load, gateways.machines),
    followers,
    couriers,
    postgres: {
      ...postgresFor(figures, load, machines, couriers, gateways.machines),
      connections:
        (gateways.machines + others) * CONNECTIONS_EACH + workers * CONNECTIONS_OF_WORKER,
    },
  }
}

/** Deliveries that one block of each network brings, all at once. */
export function burstOf({ webhooks, matchingShare, blockJitter }: Load): number {
  return webhooks * matchingShare * (1 + 2 * blockJitter)
}

export function deliveriesPerSecond(load: Load): number {
  return blocksPerSecond(load) * matchesPerBlock(load)
}

function gatewaysFor(figures: Figures, load: Load, machines: Machines): Capacity['gateways'] {
  const { callsPerSecond, repeatedShare } = load
  const { uniqueCallUs, repeatedCallUs, workersFactor, requestBytes, answerBytes } = figures
  const callUs = (1 - repeatedShare) * uniqueCallUs + repeatedShare * repeatedCallUs
  const cores = (callsPerSecond * callUs * workersFactor) / 1e6
  const clientBytesPerSecond = callsPerSecond * (requestBytes + answerBytes)
  return {
    cores,
    machines: Math.ceil(cores / machines.utilisation / machines.coresEach) + machines.spare,
    clientBytesPerSecond,
    upstreamBytesPerSecond: clientBytesPerSecond * (1 - repeatedShare),
  }
}

/** Each machine tells all others what was taken since it last did. */
function exchangeOf(figures: Figures, load: Load, machines: number): Capacity['exchange'] {
  const { callsPerSecond, teams } = load
  const callsPerTick = callsPerSecond / machines / TICKS_PER_SECOND
  const teamsPerTick = distinctOf(teams, callsPerTick)
  const sentBytesPerSecond = teamsPerTick * figures.limitTeamBytes * TICKS_PER_SECOND
  const heardNs = (machines - 1) * figures.limitReadNs + figures.limitWriteNs
  return {
    teamsPerTick,
    framesPerSecond:
      machines * Math.ceil(teamsPerTick / figures.limitFrameTeams) * TICKS_PER_SECOND,
    sentBytesPerSecond,
    heardBytesPerSecond: (machines - 1) * sentBytesPerSecond,
    coresEach: (teamsPerTick * TICKS_PER_SECOND * heardNs) / 1e9,
  }
}

function followersFor(figures: Figures, load: Load, machines: Machines): Capacity['followers'] {
  const blockUs = figures.blockMs * 1000 + matchesPerBlock(load) * figures.createUs
  const shares = load.networks.map(({ blockTimeMs }) => blockUs / 1000 / blockTimeMs)
  const busyShare = shares.reduce((sum, share) => sum + share, 0)
  return {
    blocksPerSecond: blocksPerSecond(load),
    busyShare,
    busiestNetworkShare: Math.max(...shares),
    processes: Math.ceil(busyShare / machines.utilisation) + machines.spare,
    memoryBytesEach: load.webhooks * figures.queryHeapBytes,
    startSeconds: (load.webhooks * figures.compileUs) / 1e6,
  }
}

function couriersFor(figures: Figures, load: Load, machines: Machines): CourierCapacity {
  const { utilisation, spare } = machines
  const wanted = deliveriesPerSecond(load)
  // Attempts under way are bounded, so slow destinations bound the rate as well.
  const perSecondEach = Math.min(1e6 / figures.sendUs, (SLOTS_MAX * 1000) / load.answerMs)
  const processes = Math.ceil(wanted / (perSecondEach * utilisation)) + spare
  return {
    deliveriesPerSecond: wanted,
    perSecondEach,
    processes: Math.min(SHARDS, processes),
    bytesPerSecond: wanted * load.bodyBytes,
  }
}

function postgresFor(
  figures: Figures,
  load: Load,
  { utilisation }: Machines,
  { deliveriesPerSecond: perSecond }: CourierCapacity,
  gateways: number,
): Omit<Capacity['postgres'], 'connections'> {
  const rows = load.teams * load.usageRowsPerTeam
  const callsPerWrite = load.callsPerSecond / gateways / USAGE_WRITES_PER_SECOND
  const usageRows = gateways * USAGE_WRITES_PER_SECOND * distinctOf(rows, callsPerWrite)
  // Writers of the same lines wait for each other, and what they wait with is merged meanwhile.
  const written = Math.min(usageRows, figures.usageRowsPerSecond)
  const lateS = (gateways * rows) / figures.usageRowsPerSecond
  // The log is too large within minutes, so as much is removed as comes.
  const deliveryUs = figures.deliveryServerUs + figures.pruneServerUs
  const busyUs = perSecond * deliveryUs + written * figures.usageRowServerUs
  return {
    cores: busyUs / 1e6 / utilisation,
    walBytesPerSecond: perSecond * figures.deliveryWalBytes + written * figures.usageRowWalBytes,
    diskBytesPerDay: perSecond * figures.deliveryDiskBytes * DAY_S,
    rowsPerDay: perSecond * DAY_S,
    logSeconds: LOG_BYTES_MAX / (perSecond * figures.deliveryDiskBytes),
    usageRowsPerSecond: usageRows,
    usageEveryS: written < usageRows ? lateS : 1 / USAGE_WRITES_PER_SECOND,
  }
}

/** How many of so many equally likely ones are met in so many draws. */
function distinctOf(all: number, draws: number): number {
  return all * -Math.expm1(-draws / all)
}

function blocksPerSecond({ networks }: Load): number {
  return networks.reduce((sum, { blockTimeMs }) => sum + 1000 / blockTimeMs, 0)
}

function matchesPerBlock({ webhooks, networks, matchingShare }: Load): number {
  return (webhooks / networks.length) * matchingShare
}
