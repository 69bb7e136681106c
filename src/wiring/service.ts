import type { Settings } from '../config/config.ts'
import { absentApiRole, absentGatewayRole } from '../http/api/absent-role.ts'
import type { Page, Routes } from '../http/server.ts'
import { type UsageBatch, recordUsage as writeUsage } from '../tables/usage/usage.ts'
import { managementApi } from './management-api.ts'
import { networkReports } from './networks/network-reports.ts'
import { openSolanaAccounts, type SolanaAccounts } from './networks/solana-accounts.ts'
import { makePages } from './pages.ts'
import type { ServiceInputs } from './service-inputs.ts'
import { openRpcEndpoints } from './websocket/rpc-endpoints.ts'

export type Service = {
  routes: Routes & { pages: ReadonlyMap<string, Page> }
  /** Routes of the listener that metrics have of their own; null when they have none. */
  metricRoutes: Routes | null
  /** Methods that this process answers for others too that serve beside it. */
  local: SolanaAccounts['accounts']
  /** Signs the ids of filters. */
  filterSecret: Uint8Array
  /** The streams of events. */
  live: Pick<ReturnType<typeof managementApi>['live'], 'hint' | 'stop'>
  /** Takes over the limits of tiers and the demo key as they are set now. */
  reloaded(): void
}

const NO_GATEWAY = { rpc: absentGatewayRole, webSockets: null }
const NEITHER_ROLE = { ...NO_GATEWAY, api: absentApiRole, inbox: null }

/**
 * Puts the engines together over the drivers, whichever they are. Closed with `opened`, it writes
 * what is still metered in memory.
 */
export function openService(inputs: ServiceInputs, opened: AsyncDisposableStack): Service {
  const { drivers, settings, networks } = inputs
  const { accounts, indexes } = openSolanaAccounts(drivers, networks, settings, opened)
  const recordUsage = (batch: UsageBatch) => writeUsage(drivers.database, batch)
  const filterSecret = drivers.secrets.derive('ids of filters')
  const endpoints = openRpcEndpoints({ ...inputs, recordUsage, filterSecret }, accounts, opened)
  const { needs: rpc } = endpoints
  const reports = () => networkReports(networks, indexes, inputs.reports)
  const { api, live } = managementApi(inputs, rpc.bodies, reports, opened)
  const { pages, probes, metrics } = makePages(inputs)
  const apart = settings.metrics.listen !== undefined
  const has = (role: Settings['roles'][number]) => settings.roles.includes(role)
  return {
    routes: {
      ...(has('gateway') ? endpoints.open() : NO_GATEWAY),
      api: has('api') ? api : absentApiRole,
      pages: new Map([...(has('api') ? pages : []), ...probes, ...(apart ? [] : metrics)]),
      inbox: inputs.local?.inbox ?? null,
    },
    metricRoutes: apart ? { ...NEITHER_ROLE, pages: new Map([...probes, ...metrics]) } : null,
    local: accounts,
    filterSecret,
    live,
    reloaded() {
      rpc.guard.replan()
      rpc.directory.forget()
    },
  }
}
