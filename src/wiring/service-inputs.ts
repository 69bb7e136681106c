import type { Settings } from '../config/config.ts'
import type { LocalSignIn } from '../http/api/management-api.ts'
import type { LimitExchange } from '../metering/limit-exchange.ts'
import type { UsageBatch } from '../tables/usage/usage.ts'
import type { Drivers } from './drivers.ts'
import type { LocalDevelopment } from './local/local-development.ts'
import type { CallReport } from './networks/merge-reports.ts'
import type { NetworkSet } from './networks/network-set.ts'

/** The drivers that calls are served with. */
type RpcDrivers = Pick<Drivers, 'clock' | 'database' | 'entropy' | 'signals' | 'telemetry'>

/** All that the RPC endpoint is put together from, in whichever process. */
export type RpcInputs = {
  drivers: RpcDrivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** Shares the limits with other processes; null where none serves. */
  exchange: LimitExchange | null
  /** Resolves once the ledger has it. */
  recordUsage(batch: UsageBatch): Promise<unknown>
  /** Signs the ids of filters, so it is the same in all processes. */
  filterSecret: Uint8Array
}

/** All that the service is put together from. */
export type ServiceInputs = Pick<RpcInputs, 'settings' | 'networks' | 'publicUrl' | 'exchange'> & {
  drivers: Drivers
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
