import type { Settings } from '../../config/config.ts'
import type { Tier } from '../../core/billing/plan.ts'
import type { Network } from '../../core/network.ts'
import type { Deliver, Reach } from '../../ports/signals.ts'
import type { NetworkStatus } from '../../upstream/answers/network-report.ts'

/** Settings as they travel: without functions, and without what no worker needs. */
export type WorkerSettings = Omit<
  Settings,
  'tiers' | 'locate' | 'locateOption' | 'secret' | 'operatorToken'
> & { tiers: [name: string, tier: Tier][] }

/** Names the client of a request that is forwarded; believed from workers alone. */
export const ADDRESS_HEADER = 'x-headgate-client-address'

export type WorkerOpening = {
  settings: WorkerSettings
  /** The port that all workers share. */
  port: number
  publicUrl: string
  /** The only thing derived from the secret that a worker has. */
  filterSecretHex: string
  /** The socket on which the main process serves what workers forward. */
  socket: string
  /** Paths of the main process's pages. */
  pages: readonly string[]
  /** Frames that report what limits owe when the worker starts. */
  debts: readonly string[]
}

/** The functions of the main process that a worker calls. */
export type MainFunctions = {
  /** A worker of another version, as there may be after an upgrade on the disk, is killed. */
  join(version: string): WorkerOpening
  /** Resolves when the port is free. */
  opened(): Promise<void>
  listening(): void
  publish(topic: string, text: string, reach: Reach): Promise<void>
  /** Runs a procedure of the tables in one transaction. */
  perform(procedure: string, args: unknown[]): Promise<unknown>
}

/** The functions of a worker that the main process calls. */
export type WorkerFunctions = {
  receive: Deliver
  state(): WorkerState
  /** Resolves when the settings are in force. */
  reload(settings: WorkerSettings): Promise<void>
  stop(graceMs: number): void
}

export type WorkerState = { exposition: string; reports: NetworkStatus[] }

/**
 * The settings for one of several workers: each upstream gets as many calls from all together, and
 * the system spreads the connections of an app over them.
 */
export function settingsForWorker(settings: Settings): WorkerSettings {
  const { secret: _secret, operatorToken: _token, ...rest } = settings
  const { workers } = settings.gateway
  const networks = settings.networks.map((network) => shareOf(network, workers))
  const appWebSocketsMax = Math.ceil(settings.limits.appWebSocketsMax / workers)
  const limits = { ...settings.limits, appWebSocketsMax }
  return { ...rest, networks, limits, tiers: [...settings.tiers] }
}

/** The same in the worker, which need not know where an option was set: all were checked. */
export function settingsOfWorker({ tiers, ...rest }: WorkerSettings): Settings {
  return { ...rest, tiers: new Map(tiers), locate: () => '', locateOption: () => '' }
}

function shareOf(network: Network, workers: number): Network {
  const upstreams = network.upstreams.map((spec) => ({
    ...spec,
    concurrencyMax: Math.ceil(spec.concurrencyMax / workers),
  }))
  return { ...network, upstreams }
}
