import type { Settings } from '../../config/config.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { type OpenNetwork, openNetwork } from '../../upstream/answers/open-network.ts'

type Needs = { clock: Clock; outbound: Outbound; sockets: Sockets; telemetry: Telemetry }

type NetworkSettings = Pick<Settings, 'networks' | 'prices' | 'cache' | 'whereIs'>

/** The networks that are served now. A reload exchanges them between two requests. */
export type NetworkSet = {
  list(): readonly NetworkService[]
  bySlug(slug: string): NetworkService | undefined
  /** Faults leave everything as it was. */
  reload(settings: NetworkSettings): Promise<string[]>
  /** Calls `hear` after each reload that was taken over. */
  subscribe(hear: () => void): () => void
  stop(): void
}

type Opened = Map<string, { open: OpenNetwork; madeFrom: string }>

/** A silent upstream must not hold up the start of the others. */
const FIRST_ROUND_MS_MAX = 1500

/** Opens all networks and waits for their first heads; faults when one is on a wrong chain. */
export async function openNetworkSet(
  needs: Needs,
  settings: NetworkSettings,
): Promise<NetworkSet | string[]> {
  let opened: Opened = new Map()
  let bySlug = new Map<string, NetworkService>()
  let lastReload: Promise<unknown> = Promise.resolve()
  const hearers = new Set<() => void>()

  const exchange = async (next: NetworkSettings): Promise<string[]> => {
    const fresh = openAll(needs, next, opened)
    await firstRound(needs.clock, fresh)
    const faults = wrongChains(next, fresh)
    const [kept, dropped] = faults.length === 0 ? [fresh, opened] : [opened, fresh]
    for (const [id, { open }] of dropped) {
      if (kept.get(id)?.open !== open) open.stop()
    }
    opened = kept
    bySlug = new Map([...kept.values()].map(({ open }) => [open.network.slug, open]))
    if (faults.length === 0) for (const hear of hearers) hear()
    return faults
  }

  /** One after the other: two at once could each keep what the other has stopped. */
  const reload = (next: NetworkSettings): Promise<string[]> => {
    const turn = lastReload.then(() => exchange(next))
    lastReload = turn.catch(() => {})
    return turn
  }

  const faults = await reload(settings)
  if (faults.length > 0) return faults
  return {
    list: () => [...bySlug.values()],
    bySlug: (slug) => bySlug.get(slug),
    reload,
    subscribe(hear) {
      hearers.add(hear)
      return () => void hearers.delete(hear)
    },
    stop() {
      for (const { open } of opened.values()) open.stop()
    },
  }
}

/** Networks that did not change keep all that was learned about their upstreams. */
function openAll(needs: Needs, settings: NetworkSettings, before: Opened): Opened {
  const { prices, cache } = settings
  const share = Math.floor(cache.maxBytes / Math.max(1, settings.networks.length))
  return new Map(
    settings.networks.map((network) => {
      const madeFrom = JSON.stringify([network, prices, cache, share])
      const same = before.get(network.id)
      if (same?.madeFrom === madeFrom) return [network.id, same]
      const limits = { prices, cacheBytesMax: share, latestMaxAgeMs: cache.latestMaxAgeMs }
      return [network.id, { open: openNetwork(needs, network, limits), madeFrom }]
    }),
  )
}

async function firstRound(clock: Clock, opened: Opened): Promise<void> {
  const rounds = [...opened.values()].map(({ open }) => open.ready)
  await Promise.race([Promise.all(rounds), clock.sleep(FIRST_ROUND_MS_MAX)])
}

function wrongChains(settings: NetworkSettings, opened: Opened): string[] {
  return [...opened.values()].flatMap(({ open: { network, pool } }) =>
    pool.selection.upstreams
      .filter((upstream) => upstream.chain === 'wrong')
      .map(({ spec, chainSaid }) => {
        const where = settings.whereIs(network.id, spec.name)
        const { genesisHeard } = pool.selection
        const expected = network.chainId ?? network.genesisHash ?? genesisHeard
        return `${where}: upstream ${spec.name} of ${network.id} is on chain ${chainSaid}, not ${expected}`
      }),
  )
}
