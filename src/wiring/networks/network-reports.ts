import { type CallReport, mergeReports } from './merge-reports.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'
import type { AccountIndexes } from './account-indexes.ts'
import type { NetworkSet } from './network-set.ts'

/** The networks as operators see them, with what processes say that serve beside this one. */
export async function networkReports(
  networks: NetworkSet,
  indexes: AccountIndexes,
  reports: () => Promise<CallReport[]>,
) {
  const elsewhere = await reports()
  return networks.list().map((service) => ({
    ...mergeReports(networkReport(service), elsewhere),
    account_indexes: indexes.reportOf(service.network.id),
  }))
}
