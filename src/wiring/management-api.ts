import type { Settings } from '../config/config.ts'
import { apiRouter } from '../http/api/api-router.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import { type EventHub, openEventHub } from '../http/api/events/event-hub.ts'
import type { LocalSignIn, ManagementApi } from '../http/api/management-api.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import type { Routes } from '../http/server.ts'
import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { Drivers } from './drivers.ts'
import type { LocalDevelopment } from './local/local-development.ts'
import type { CallReport } from './networks/merge-reports.ts'
import type { NetworkSet } from './networks/network-set.ts'

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

export function managementApi(
  inputs: ServiceInputs,
  bodies: ManagementApi['bodies'],
  networkReport: ManagementApi['networkReport'],
  opened: AsyncDisposableStack,
): { api: Routes['api']; live: EventHub } {
  const { drivers, settings, networks, publicUrl, local, localSignIn } = inputs
  const { egress, signals, storeHealth } = drivers
  const live = openEventHub(drivers, { tiers: settings.tiers, services: networks.list })
  opened.defer(live.stop)
  const api = apiRouter({
    ...drivers,
    local,
    bodies,
    isDiskLow: () => storeHealth.room().isLow,
    publicUrl,
    trustProxy: settings.trustProxy,
    localSignIn,
    tokenHeaders: settings.tokenHeaders,
    openApi: openApiReply(publicUrl, settings.tokenHeaders),
    tiers: settings.tiers,
    networks: () => networks.list().map(({ network }) => network),
    services: networks.list,
    limits: openCallLimits(drivers.clock),
    attempt: (request) => egress.post({ ...request, timeoutMs: settings.webhooks.timeoutMs }),
    networkReport,
    live,
    accountsChanged: () => signals.publish('accounts', ''),
    webhooksChanged: (webhookId = '') => signals.publish('webhooks', webhookId),
  })
  return { api, live }
}
