import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenAccountIndex, openAccountIndex } from '../accounts/index/account-index.ts'
import { openProgramAccounts } from '../accounts/snapshot/program-accounts.ts'
import type { Settings } from '../config/config.ts'
import { absentApiRole, absentGatewayRole } from '../http/api/absent-role.ts'
import { apiRouter } from '../http/api/api-router.ts'
import { openCallLimits } from '../http/api/call-limits.ts'
import { openEventHub } from '../http/api/events/event-hub.ts'
import type { LocalSignIn, ManagementApi } from '../http/api/management-api.ts'
import { dashboardPages } from '../http/pages/dashboard-pages.ts'
import { docsPages } from '../http/pages/docs-pages.ts'
import { openApiReply } from '../http/pages/open-api-reply.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Page } from '../http/server.ts'
import type { AccountStore } from '../ports/account-store.ts'
import { type NetworkStatus, networkReport } from '../upstream/answers/network-report.ts'
import type { LocalDevelopment } from './local/local-development.ts'
import { mergeReports } from './networks/merge-reports.ts'
import type { NetworkSet } from './networks/network-set.ts'
import { perNetwork } from './networks/per-network.ts'
import type { ProcessDrivers } from './process-drivers.ts'
import { openRpcEndpoints } from './rpc-endpoints.ts'

export type ServiceInputs = {
  drivers: ProcessDrivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
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
  reports(): Promise<NetworkStatus[]>
}

export type Service = ReturnType<typeof openService>

type RunningIndex = { store: AccountStore; index: OpenAccountIndex }

const NO_GATEWAY = { rpc: absentGatewayRole, webSockets: null }

const NEITHER_ROLE = { ...NO_GATEWAY, api: absentApiRole, inbox: null }

/**
 * Puts the engines together over the drivers, whichever they are. Closed with `opened`, it writes
 * what is still metered in memory.
 */
export function openService(inputs: ServiceInputs, opened: AsyncDisposableStack) {
  const { drivers, settings, networks } = inputs
  const indexes = openAccountIndexes(drivers, networks, settings.programAccounts)
  opened.defer(() => indexes?.stop())
  const local = openProgramAccounts(
    drivers,
    { spill: drivers.spill, indexOf: (service) => indexes?.of(service)?.index ?? null },
    settings.programAccounts,
  )
  opened.defer(local.stop)
  const endpoints = openRpcEndpoints({ ...inputs, local }, opened)
  const { bodies, guard, directory } = endpoints.needs
  const reports = async () => {
    const elsewhere = await inputs.reports()
    return networks.list().map((service) => ({
      ...mergeReports(networkReport(service), elsewhere),
      account_indexes: indexes?.byId(service.network.id)?.index.report() ?? [],
    }))
  }
  const { api, live } = managementApi(inputs, bodies, reports, opened)
  const { isBehind, isServing, exposition } = inputs
  const probed = { ...drivers, networks: networks.list, isBehind, isServing, exposition }
  const probes = new Map<string, Page>([
    ['/healthz', healthProbe],
    ['/readyz', () => readinessProbe(probed)],
  ])
  const metrics = new Map<string, Page>([['/metrics', () => metricsPage(probed)]])
  const apart = settings.metrics.listen !== undefined
  const has = (role: Settings['roles'][number]) => settings.roles.includes(role)
  return {
    routes: {
      ...(has('gateway') ? endpoints.open() : NO_GATEWAY),
      api: has('api') ? api : absentApiRole,
      pages: new Map([...(has('api') ? browserPages() : []), ...probes, ...(apart ? [] : metrics)]),
      inbox: inputs.local?.inbox ?? null,
    },
    /** Routes of the listener that metrics have of their own; null when they have none. */
    metricRoutes: apart ? { ...NEITHER_ROLE, pages: new Map([...probes, ...metrics]) } : null,
    /** Methods that this process answers for others too that serve beside it. */
    local,
    /** The streams of events. */
    live,
    /** Takes over the limits of tiers and the demo key as they are set now. */
    reloaded(): void {
      guard.replan()
      directory.forget()
    },
  }
}

function managementApi(
  inputs: ServiceInputs,
  bodies: ManagementApi['bodies'],
  networkReport: ManagementApi['networkReport'],
  opened: AsyncDisposableStack,
) {
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

function browserPages(): [string, Page][] {
  return [
    ...docsPages(() => readBundle('docs.bundle')),
    ...dashboardPages(readBundle('dashboard.bundle')),
  ]
}

/** Pages lie in the executable, or where they were built; null where they were not. */
function readBundle(name: string): string | null {
  const isEmbedded = Bun.embeddedFiles.some((file) => 'name' in file && file.name === name)
  const built = new URL(`../../dist/${name}`, import.meta.url)
  try {
    return readFileSync(isEmbedded ? join(import.meta.dir, name) : built, 'utf8')
  } catch {
    return null
  }
}

/** Keeps one index for each Solana network that is served, through reloads too. */
function openAccountIndexes(
  drivers: ProcessDrivers,
  networks: NetworkSet,
  { index: programs, pageKeyMs: keepMs }: Settings['programAccounts'],
) {
  if (programs.length === 0) return null
  return perNetwork<RunningIndex>(drivers.telemetry, networks, {
    kind: 'solana',
    failedEvent: 'account_index_unavailable',
    async open(service) {
      const store = await drivers.accountStores.open(service.network.slug)
      const index = openAccountIndex(drivers, { sockets: drivers.sockets, store }, service, {
        programs,
        keepMs,
      })
      return { index, store }
    },
    async close({ index, store }) {
      await index.stop()
      await store.close()
    },
  })
}
