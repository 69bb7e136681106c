import type { Settings } from '../config/config.ts'
import type { Drivers } from './drivers.ts'
import type { NetworkSet } from './networks/network-set.ts'

/** All that the service is put together from. */
export type ServiceInputs = {
  drivers: Drivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** The follower of that network, where this process has one, is behind its head. */
  isBehind(networkId: string): boolean
}
