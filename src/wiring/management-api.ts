import type { Settings } from '../config/config.ts'
import { apiRouter } from '../http/api/api-router.ts'
import type { LocalSignIn } from '../http/api/authenticate.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import type { LiveHub } from '../http/api/live/live-hub.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import type { Routes } from '../http/server.ts'
import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { CallReport } from '../upstream/answers/merge-reports.ts'
import type { Drivers } from './drivers.ts'
import { openLiveEvents } from './live/live-events.ts'
import type { LocalDevelopment } from './local/local-development.ts'
import type { NetworkSet } from './networks/network-set.ts'

/** All that the service is put together from. */
export type ServiceInputs = {
  drivers: Drivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** Shares the limits with other processes; null where none serves. */
  exchange: LimitExchange | null
  /** Null outside of local development. */
  localSignIn: LocalSignIn | null
  /** Null where this is no local development. */
  local: LocalDevelopment | null
  /** The follower of that network, where this process has one, is behind its head. */
  isBehind(networkId: string): boolean
  /** Somebody serves JSON-RPC, where this process is to have it served. */
  isServing(): boolean
  /** The metrics of all processes of this service. */
  exposition(): Promise<string>
  /** How calls go at the upstreams, as processes see it that serve beside this one. */
  reports(): Promise<CallReport[]>
}

type ApiNeeds = Parameters<typeof apiRouter>[0]

/** The management API, with the streams of events that it serves. */
export function managementApi(
  inputs: ServiceInputs,
  bodies: ApiNeeds['bodies'],
  networkReport: ApiNeeds['networkReport'],
  opened: AsyncDisposableStack,
): { api: Routes['api']; live: LiveHub } {
  const { drivers, settings, networks, publicUrl, local, localSignIn } = inputs
  const { clock, database, egress, entropy, secrets, signals, storeHealth, telemetry } = drivers
  const live = openLiveEvents(drivers, settings, networks)
  opened.defer(live.stop)
  const api = apiRouter({
    clock,
    local,
    bodies,
    database,
    egress,
    entropy,
    secrets,
    isDiskLow: () => storeHealth.room().isLow,
    telemetry,
    publicUrl,
    trustProxy: settings.trustProxy,
    localSignIn,
    tokenHeaders: settings.tokenHeaders,
    openApi: openApiReply(publicUrl, settings.tokenHeaders),
    tiers: settings.tiers,
    networks: () => networks.list().map(({ network }) => network),
    services: networks.list,
    ...openCallLimits({ clock }),
    attempt: (request) => egress.post({ ...request, timeoutMs: settings.webhooks.timeoutMs }),
    networkReport,
    live,
    accountsChanged: () => signals.publish('accounts', ''),
    webhooksChanged: (webhookId = '') => signals.publish('webhooks', webhookId),
  })
  return { api, live }
}
