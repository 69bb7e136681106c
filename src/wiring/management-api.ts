import { apiRouter } from '../http/api/api-router.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import type { Routes } from '../http/server.ts'
import type { ServiceInputs } from './service-inputs.ts'

type ApiNeeds = Parameters<typeof apiRouter>[0]

export function managementApi(
  { drivers, settings, networks, publicUrl }: ServiceInputs,
  bodies: ApiNeeds['bodies'],
  networkReport: ApiNeeds['networkReport'],
): Routes['api'] {
  const { clock, database, egress, entropy, secrets, signals, storeHealth, telemetry } = drivers
  return apiRouter({
    clock,
    bodies,
    database,
    egress,
    entropy,
    secrets,
    isDiskLow: () => storeHealth.room().isLow,
    telemetry,
    publicUrl,
    tokenHeaders: settings.tokenHeaders,
    openApi: openApiReply(publicUrl, settings.tokenHeaders),
    tiers: settings.tiers,
    networks: () => networks.list().map(({ network }) => network),
    services: networks.list,
    ...openCallLimits({ clock }),
    attempt: (request) => egress.post({ ...request, timeoutMs: settings.webhooks.timeoutMs }),
    networkReport,
    accountsChanged: () => signals.publish('accounts', ''),
    webhooksChanged: (webhookId = '') => signals.publish('webhooks', webhookId),
  })
}
