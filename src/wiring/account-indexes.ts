import {
  type IndexRules,
  type OpenAccountIndex,
  openAccountIndex,
} from '../accounts/index/account-index.ts'
import type { AccountIndex } from '../accounts/snapshot/indexed-pages.ts'
import type { AccountStore } from '../ports/account-store.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import type { NetworkSet } from './network-set.ts'
import type { World } from './world.ts'

export type AccountIndexes = {
  /** Null while there is none: the node is asked then. */
  of(service: NetworkService): AccountIndex | null
  /** What operators are told of the programs of a network. */
  reportOf(networkId: string): ReturnType<OpenAccountIndex['report']>
  stop(): Promise<void>
}

type Running = { service: NetworkService; store: AccountStore; index: OpenAccountIndex }

/** Keeps one index for each Solana network that is served, through reloads too. */
export function openAccountIndexes(
  { accountStores, clock, sockets, telemetry }: World,
  networks: NetworkSet,
  rules: IndexRules,
): AccountIndexes {
  const running = new Map<string, Running>()
  let turn: Promise<void> = Promise.resolve()

  const end = async (id: string, { index, store }: Running) => {
    running.delete(id)
    await index.stop()
    await store.close()
  }

  const reconcile = async () => {
    const served = networks.list().filter(({ network }) => network.kind === 'solana')
    for (const [id, one] of running) if (!served.includes(one.service)) await end(id, one)
    if (rules.programs.length === 0) return
    for (const service of served) {
      const { id, slug } = service.network
      if (running.has(id)) continue
      const store = await accountStores.open(slug)
      const index = openAccountIndex({ clock, sockets, telemetry, store }, service, rules)
      running.set(id, { service, store, index })
    }
  }
  /** One after the other, so that no file is ever opened twice. */
  const changed = () => {
    turn = turn.then(reconcile).catch((thrown: unknown) => {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      telemetry.log('error', 'account_index_unavailable', { reason })
    })
  }
  changed()
  const deaf = networks.subscribe(changed)

  return {
    of(service) {
      const one = running.get(service.network.id)
      return one?.service === service ? one.index : null
    },
    reportOf: (networkId) => running.get(networkId)?.index.report() ?? [],
    async stop() {
      deaf()
      await turn
      for (const [id, one] of running) await end(id, one)
    },
  }
}
