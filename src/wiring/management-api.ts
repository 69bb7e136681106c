import { apiRouter } from '../http/api/api-router.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import { type EventHub, openEventHub } from '../http/api/events/event-hub.ts'
import type { ManagementApi } from '../http/api/management-api.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import type { Routes } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

/** The management API, with the streams of events that it serves. */
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
