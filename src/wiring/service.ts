import { openProgramAccounts } from '../accounts/snapshot/program-accounts.ts'
import type { Settings } from '../config/config.ts'
import { absentApiRole, absentGatewayRole } from '../http/api/absent-role.ts'
import { openRpcRoute } from '../http/rpc/rpc-route.ts'
import type { Routes } from '../http/server.ts'
import { networkReport } from '../upstream/answers/network-report.ts'
import { managementApi } from './management-api.ts'
import { openAccountIndexes } from './networks/account-indexes.ts'
import { makePages } from './pages.ts'
import { openRpcNeeds } from './rpc-needs.ts'
import type { ServiceInputs } from './service-inputs.ts'

export type Service = {
  routes: Routes
  /** Routes of the listener that metrics have of their own; null when they have none. */
  metricRoutes: Routes | null
  /** Takes over the limits of tiers and the demo key as they are set now. */
  reloaded(): void
}

/**
 * Puts the engines together over the drivers, whichever they are. Closed with `opened`, it writes
 * what is still metered in memory.
 */
export function openService(inputs: ServiceInputs, opened: AsyncDisposableStack): Service {
  const { drivers, settings, networks } = inputs
  const { programAccounts } = settings
  const { index: programs, pageKeyMs: keepMs } = programAccounts
  const indexes = openAccountIndexes(drivers, networks, { programs, keepMs })
  opened.defer(indexes.stop)
  const pageKeySecret = drivers.secrets.derive('page keys of getProgramAccounts')
  const accountNeeds = { ...drivers, pageKeySecret, indexOf: indexes.of }
  const accounts = openProgramAccounts(accountNeeds, programAccounts)
  opened.defer(accounts.stop)
  const rpc = openRpcNeeds(inputs, accounts, opened)
  const networkReports = () =>
    networks.list().map((service) => ({
      ...networkReport(service),
      account_indexes: indexes.reportOf(service.network.id),
    }))

  const { pages, probes, metrics } = makePages(inputs)
  const apart = settings.metrics.listen !== undefined
  const has = (role: Settings['roles'][number]) => settings.roles.includes(role)
  return {
    routes: {
      rpc: has('gateway') ? openRpcRoute(rpc) : absentGatewayRole,
      api: has('api') ? managementApi(inputs, rpc.bodies, networkReports) : absentApiRole,
      pages: new Map([...(has('api') ? pages : []), ...probes, ...(apart ? [] : metrics)]),
    },
    metricRoutes: apart
      ? { rpc: absentGatewayRole, api: absentApiRole, pages: new Map([...probes, ...metrics]) }
      : null,
    reloaded() {
      rpc.guard.replan()
      rpc.directory.forget()
    },
  }
}
