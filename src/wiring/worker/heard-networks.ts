import type { Settings } from '../../config/config.ts'
import { assert } from '../../core/errors.ts'
import { type CallReport, callReportOf } from '../networks/merge-reports.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'
import { type NetworkSet, openNetworkSet } from '../networks/network-set.ts'
import type { MainLink } from './main-link.ts'
import { type MainWatch, openMainWatch } from './main-watch.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

type HeardNetworks = {
  networks: NetworkSet
  shared: MainWatch
  /** How calls go at their upstreams. */
  reports(): CallReport[]
}

/** The networks of a worker, whose upstreams the main process watches. */
export async function openHeardNetworks(
  drivers: WorkerDrivers,
  link: MainLink,
  settings: Settings,
): Promise<HeardNetworks> {
  const shared = openMainWatch(link)
  const networks = await openNetworkSet({ ...drivers, shared }, settings)
  assert(!Array.isArray(networks), 'the main process has checked the chains')
  const reports = () => networks.list().map((service) => callReportOf(networkReport(service)))
  return { networks, shared, reports }
}
