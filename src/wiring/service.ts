import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenAccountIndex, openAccountIndex } from '../accounts/index/account-index.ts'
import type { AccountIndex } from '../accounts/snapshot/indexed-pages.ts'
import { openProgramAccounts, type ProgramAccounts } from '../accounts/snapshot/program-accounts.ts'
import type { Settings } from '../config/config.ts'
import { absentApiRole, absentGatewayRole } from '../http/api/absent-role.ts'
import { dashboardPages } from '../http/pages/dashboard-pages.ts'
import { docsPages } from '../http/pages/docs-pages.ts'
import { healthProbe, metricsPage, readinessProbe } from '../http/pages/probes.ts'
import type { Page, Routes } from '../http/server.ts'
import type { AccountStore } from '../ports/account-store.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { networkReport } from '../upstream/answers/network-report.ts'
import type { Drivers } from './drivers.ts'
import { managementApi, type ServiceInputs } from './management-api.ts'
import { mergeReports } from './networks/merge-reports.ts'
import type { NetworkSet } from './networks/network-set.ts'
import { perNetwork } from './networks/per-network.ts'
import { openRpcEndpoints } from './rpc-endpoints.ts'

export type Service = {
  routes: Routes & { pages: ReadonlyMap<string, Page> }
  /** Routes of the listener that metrics have of their own; null when they have none. */
  metricRoutes: Routes | null
  /** Methods that this process answers for others too that serve beside it. */
  local: ProgramAccounts
  /** The streams of events. */
  live: Pick<ReturnType<typeof managementApi>['live'], 'hint' | 'stop'>
  /** Takes over the limits of tiers and the demo key as they are set now. */
  reloaded(): void
}

type AccountIndexes = {
  /** Null while the network has none: then the node is asked. */
  of(service: NetworkService): AccountIndex | null
  reportOf(networkId: string): ReturnType<OpenAccountIndex['report']>
  stop(): Promise<void>
}

type RunningIndex = { store: AccountStore; index: OpenAccountIndex }

const NO_GATEWAY = { rpc: absentGatewayRole, webSockets: null }

const NEITHER_ROLE = { ...NO_GATEWAY, api: absentApiRole, inbox: null }

const NO_INDEXES: AccountIndexes = { of: () => null, reportOf: () => [], stop: async () => {} }

/**
 * Puts the engines together over the drivers, whichever they are. Closed with `opened`, it writes
 * what is still metered in memory.
 */
export function openService(inputs: ServiceInputs, opened: AsyncDisposableStack): Service {
  const { drivers, settings, networks } = inputs
  const indexes = openAccountIndexes(drivers, networks, settings.programAccounts)
  opened.defer(indexes.stop)
  const local = openProgramAccounts(
    drivers,
    { spill: drivers.spill, indexOf: indexes.of },
    settings.programAccounts,
  )
  opened.defer(local.stop)
  const endpoints = openRpcEndpoints({ ...inputs, local }, opened)
  const { bodies, guard, directory } = endpoints.needs
  const reports = async () => {
    const elsewhere = await inputs.reports()
    return networks.list().map((service) => ({
      ...mergeReports(networkReport(service), elsewhere),
      account_indexes: indexes.reportOf(service.network.id),
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
    metricRoutes: apart ? { ...NEITHER_ROLE, pages: new Map([...probes, ...metrics]) } : null,
    local,
    live,
    reloaded() {
      guard.replan()
      directory.forget()
    },
  }
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
  drivers: Drivers,
  networks: NetworkSet,
  { index: programs, pageKeyMs: keepMs }: Settings['programAccounts'],
): AccountIndexes {
  if (programs.length === 0) return NO_INDEXES
  const indexes = perNetwork<RunningIndex>(drivers.telemetry, networks, {
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

  return {
    of: (service) => indexes.of(service)?.index ?? null,
    reportOf: (networkId) => indexes.byId(networkId)?.index.report() ?? [],
    stop: indexes.stop,
  }
}
