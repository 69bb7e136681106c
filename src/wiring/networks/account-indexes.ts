import { type OpenAccountIndex, openAccountIndex } from '../../accounts/index/account-index.ts'
import type { AccountIndex } from '../../accounts/snapshot/indexed-pages.ts'
import type { Settings } from '../../config/config.ts'
import type { AccountStore } from '../../ports/account-store.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Drivers } from '../drivers.ts'
import type { NetworkSet } from './network-set.ts'
import { perNetwork } from './per-network.ts'

export type AccountIndexes = {
  /** Null while the network has none: then the node is asked. */
  of(service: NetworkService): AccountIndex | null
  /** The state of each indexed program of a network, for operators. */
  reportOf(networkId: string): ReturnType<OpenAccountIndex['report']>
  stop(): Promise<void>
}

type RunningIndex = { store: AccountStore; index: OpenAccountIndex }

const NO_INDEXES: AccountIndexes = { of: () => null, reportOf: () => [], stop: async () => {} }

/** Keeps one index for each Solana network that is served, through reloads too. */
export function openAccountIndexes(
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
      const index = openAccountIndex({ ...drivers, store }, service, { programs, keepMs })
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
