import { type Capacity, capacityOf } from './capacity-of.ts'
import { latenessOf } from './courier-loss.ts'
import type { Figures } from './figures.ts'
import type { Load, Machines } from './load.ts'
import { nextLimits } from './next-limits.ts'

/** The model's answer for a load, as a table of Markdown. */
export function capacityTable(figures: Figures, load: Load, machines: Machines): string[] {
  const capacity = capacityOf(figures, load, machines)
  return [
    '| part | how many | what it has to do |',
    '|---|---|---|',
    ...gatewayLines(capacity, machines),
    ...followerLines(capacity),
    ...courierLines(capacity, load),
    ...postgresLines(capacity),
  ]
}

/** The limits that more processes do not move, as a table of Markdown. */
export function limitsTable(figures: Figures, load: Load, machines: Machines): string[] {
  const limits = nextLimits(figures, load, capacityOf(figures, load, machines))
  return [
    '| limit | used | most | |',
    '|---|---|---|---|',
    ...limits.map(({ what, used, most, unit }) => {
      return `| ${what} | ${count(used)} | ${count(most)} ${unit} | ${times(used / most)} |`
    }),
  ]
}

/** The figures themselves, as a table of Markdown. */
export function figuresTable(
  measured: Record<string, { value: number; unit: string; of: string; from: string }>,
): string[] {
  const lines = Object.values(measured).map(({ value, unit, of, from }) => {
    return `| ${of} | ${value.toLocaleString('en')} ${unit} | \`${from}\` |`
  })
  return ['| figure | measured | bench |', '|---|---|---|', ...lines]
}

function gatewayLines({ gateways, exchange }: Capacity, machines: Machines): string[] {
  const { coresEach, spare } = machines
  const heard = bits(exchange.sentBytesPerSecond + exchange.heardBytesPerSecond)
  return [
    `| gateways | ${gateways.machines} machines of ${coresEach} cores, ${spare} of them spare | ` +
      `${count(gateways.cores)} cores busy; ${bits(gateways.clientBytesPerSecond)} with clients, ` +
      `${bits(gateways.upstreamBytesPerSecond)} with upstreams |`,
    `| limit exchange | ${count(exchange.framesPerSecond)} frames a second | ` +
      `each machine tells of ${count(exchange.teamsPerTick)} teams every 50 ms; ` +
      `${heard} and ${share(exchange.coresEach)} of a core each |`,
  ]
}

function followerLines({ followers }: Capacity): string[] {
  const { blocksPerSecond, busyShare, busiestNetworkShare } = followers
  return [
    `| followers | ${followers.processes} processes, networks spread evenly | ` +
      `${count(blocksPerSecond)} blocks a second, ${share(busyShare)} of an event loop; ` +
      `the fastest network ${share(busiestNetworkShare)} |`,
    `| each follower | ${bytes(followers.memoryBytesEach)} for the queries of all networks | ` +
      `compiles them for ${count(followers.startSeconds / 60)} minutes when it starts |`,
  ]
}

function courierLines({ couriers }: Capacity, load: Load): string[] {
  const { processes, perSecondEach, deliveriesPerSecond: wanted } = couriers
  const late = latenessOf(load, processes, perSecondEach)
  return [
    `| couriers | ${processes} processes | ${count(wanted)} deliveries a second of at most ` +
      `${count(perSecondEach)} each; ${bits(couriers.bytesPerSecond)} of bodies |`,
    `| one courier killed | shards move within ${count(late.takeoverS)} s | ` +
      `${count(late.backlogMax)} deliveries wait at most, none of them longer than ` +
      `${count(late.recoveredS)} s |`,
  ]
}

function postgresLines({ postgres }: Capacity): string[] {
  const { rowsPerDay, usageRowsPerSecond, usageEveryS, logSeconds } = postgres
  return [
    `| PostgreSQL | one primary with ${count(postgres.cores)} cores | ` +
      `${bytes(postgres.walBytesPerSecond)} of WAL a second; ` +
      `at most ${count(postgres.connections)} connections |`,
    `| usage | each gateway writes every ${count(usageEveryS)} s | ` +
      `${count(usageRowsPerSecond)} lines a second, if all wrote twice a second |`,
    `| its tables | a partition of each a day | ${count(rowsPerDay / 1e6)} million deliveries and ` +
      `${bytes(postgres.diskBytesPerDay)} a day, of which the 10 GiB of the log hold ` +
      `${count(logSeconds / 60)} minutes |`,
  ]
}

/** Two digits that count, or the whole number. */
function count(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 0 : 1
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

function share(value: number): string {
  return `${count(value * 100)} %`
}

function times(value: number): string {
  return `${value.toLocaleString('en', { maximumFractionDigits: 2 })} ×`
}

function bytes(value: number): string {
  const [size, unit] = value >= 1e12 ? [1e12, 'TB'] : value >= 1e9 ? [1e9, 'GB'] : [1e6, 'MB']
  return `${count(value / size)} ${unit}`
}

function bits(bytesPerSecond: number): string {
  const gigabits = (bytesPerSecond * 8) / 1e9
  return gigabits >= 1 ? `${count(gigabits)} Gbit/s` : `${count(gigabits * 1000)} Mbit/s`
}
