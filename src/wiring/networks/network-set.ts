import type { Settings } from '../../config/config.ts'
import { serial } from '../../core/async/serial.ts'
import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  type NetworkDrivers,
  type OpenNetwork,
  openNetwork,
} from '../../upstream/answers/open-network.ts'
import { openSpendRegistry, type SpendRegistry } from '../../upstream/spend/spend-registry.ts'

type NetworkSettings = Pick<Settings, 'networks' | 'prices' | 'cache' | 'locate'>

/** The networks that are served now. A reload exchanges them between two requests. */
export type NetworkSet = {
  spends: SpendRegistry
  list(): readonly OpenNetwork[]
  bySlug(slug: string): OpenNetwork | undefined
  /** Resolves with the faults of the new settings, which leave everything as it was. */
  reload(settings: NetworkSettings): Promise<string[]>
  /** Calls `onReload` after each reload that was taken over. */
  subscribe(onReload: () => void): () => void
  stop(): void
}

type Opened = Map<string, { open: OpenNetwork; madeFrom: string }>

/** A silent upstream must not hold up the start of the others. */
const FIRST_ROUND_MS_MAX = 1500

/** Opens all networks and waits for their first heads; faults when one is on a wrong chain. */
export async function openNetworkSet(
  needs: NetworkDrivers,
  settings: NetworkSettings,
): Promise<NetworkSet | string[]> {
  const spends = openSpendRegistry(needs.clock, needs.telemetry)
  let opened: Opened = new Map()
  let bySlug = new Map<string, OpenNetwork>()
  const listeners = new Set<() => void>()
  // Two reloads at once could each keep what the other has stopped.
  const inTurn = serial()

  const exchange = async (next: NetworkSettings): Promise<string[]> => {
    const fresh = openAll({ ...needs, spends }, next, opened)
    await firstRound(needs.clock, fresh)
    // The process that watches them for us has judged them, and goes on where one became wrong.
    const faults = needs.isObserver ? [] : wrongChains(next, fresh)
    const [kept, dropped] = faults.length === 0 ? [fresh, opened] : [opened, fresh]
    stopAll(dropped, kept)
    if (faults.length > 0) keepBudgets(spends, kept)
    opened = kept
    bySlug = new Map([...kept.values()].map(({ open }) => [open.network.slug, open]))
    if (faults.length === 0) for (const onReload of listeners) onReload()
    return faults
  }
  const reload = (next: NetworkSettings) => inTurn(() => exchange(next))

  const faults = await reload(settings)
  if (faults.length > 0) return faults
  return {
    spends,
    list: () => [...bySlug.values()],
    bySlug: (slug) => bySlug.get(slug),
    reload,
    subscribe(onReload) {
      listeners.add(onReload)
      return () => void listeners.delete(onReload)
    },
    stop: () => stopAll(opened),
  }
}

/** Networks that did not change keep all that was learned about their upstreams. */
function openAll(needs: NetworkDrivers, settings: NetworkSettings, before: Opened): Opened {
  const { prices, cache } = settings
  const share = Math.floor(cache.maxBytes / Math.max(1, settings.networks.length))
  const opened: Opened = new Map()
  try {
    for (const network of settings.networks) {
      const madeFrom = JSON.stringify([network, prices, cache, share])
      const same = before.get(network.id)
      const limits = { prices, cacheBytesMax: share, latestMaxAgeMs: cache.latestMaxAgeMs }
      const isSame = same?.madeFrom === madeFrom
      const open = isSame ? same.open : openNetwork(needs, network, limits)
      opened.set(network.id, { open, madeFrom })
    }
    return opened
  } catch (thrown) {
    stopAll(opened, before)
    throw thrown
  }
}

/** Settings that are not taken over leave the budgets as they were, too. */
function keepBudgets(spends: SpendRegistry, kept: Opened): void {
  for (const { open } of kept.values()) {
    for (const spec of open.network.upstreams) spends.of(open.network.id, spec)
  }
}

function stopAll(networks: Opened, kept?: Opened): void {
  for (const [id, { open }] of networks) if (kept?.get(id)?.open !== open) open.stop()
}

async function firstRound(clock: Clock, opened: Opened): Promise<void> {
  const rounds = [...opened.values()].map(({ open }) => open.ready)
  await within(clock, FIRST_ROUND_MS_MAX, Promise.all(rounds), () => {})
}

function wrongChains(settings: NetworkSettings, opened: Opened): string[] {
  return [...opened.values()].flatMap(({ open: { network, pool } }) =>
    pool.selection.upstreams
      .filter((upstream) => upstream.chain === 'wrong')
      .map(({ spec, reportedChain: chainSaid }) => {
        const where = settings.locate(network.id, spec.name)
        const { firstGenesisHash: genesisHeard } = pool.selection
        const expected = network.chainId ?? network.genesisHash ?? genesisHeard
        return `${where}: upstream ${spec.name} of ${network.id} is on chain ${chainSaid}, not ${expected}`
      }),
  )
}
