import {
  openProgramAccounts,
  type ProgramAccounts,
} from '../../accounts/snapshot/program-accounts.ts'
import type { Settings } from '../../config/config.ts'
import type { Drivers } from '../drivers.ts'
import { type AccountIndexes, openAccountIndexes } from './account-indexes.ts'
import type { NetworkSet } from './network-set.ts'

/** The accounts of Solana programs: indexes of chosen ones, and the methods that read them. */
export type SolanaAccounts = { accounts: ProgramAccounts; indexes: AccountIndexes }

export function openSolanaAccounts(
  drivers: Drivers,
  networks: NetworkSet,
  { programAccounts }: Pick<Settings, 'programAccounts'>,
  opened: AsyncDisposableStack,
): SolanaAccounts {
  const { index: programs, pageKeyMs: keepMs } = programAccounts
  const indexes = openAccountIndexes(drivers, networks, { programs, keepMs })
  opened.defer(indexes.stop)
  const pageKeySecret = drivers.secrets.derive('page keys of getProgramAccounts')
  const needs = { ...drivers, pageKeySecret, indexOf: indexes.of }
  const accounts = openProgramAccounts(needs, programAccounts)
  opened.defer(accounts.stop)
  return { accounts, indexes }
}
