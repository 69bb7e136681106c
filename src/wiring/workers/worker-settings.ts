import type { Settings } from '../../config/config.ts'
import type { Network } from '../../core/network.ts'
import type { WorkerSettings } from './worker-messages.ts'

/**
 * The settings for one of so many workers: each upstream gets as many calls from all together, and
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
