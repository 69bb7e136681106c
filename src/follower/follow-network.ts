import { isOldNews } from '../core/chain/tail.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { readChain } from '../tables/chain/chain-tail.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { followHead } from './follow-head.ts'
import type { Following } from './following.ts'
import { holdLease } from './network-lease.ts'
import { openProgressWatch, type ProgressWatch } from './progress-watch.ts'
import type { EventNeeds } from './run-queries.ts'

type Needs = EventNeeds & {
  /** Names this process among those that may follow. */
  holder: string
}

export type Follower = {
  /** Where it stands; null before its first block. */
  status(): { number: number; hash: string; sequenceNumber: number } | null
  /** It has not reached a head that its network had several block times ago. */
  isBehind(): boolean
  /** Finishes a commit under way, begins nothing new. */
  stop(): Promise<void>
}

type News = ReturnType<NetworkService['heads']['latest']>[number]

/** Without news it looks anyway, for what time alone changes: votes, leases, upstreams in use. */
const LOOK_EVERY_MS = 1_000
/** A head that led nowhere is looked at again after this long. */
const DOUBT_MS_MIN = 100
const DOUBTS_MAX = 64
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 5_000
/** A commit takes milliseconds. What is being read is left: nothing is lost by that. */
const STOP_MS_MAX = 2_000

/**
 * Follows one network's canonical chain for as long as it is served: each block becomes one
 * event, in order. Heads are hints; what is stored decides where it goes on.
 */
export function followNetwork(needs: Needs, service: NetworkService): Follower {
  const { clock, telemetry } = needs
  const { network } = service
  const following: Following = {
    service,
    tail: [],
    sequenceNumber: null,
    finalized: null,
    loaded: false,
    stopped: false,
    commit: null,
    doubtedUntilMs: new Map(),
    alarmedBy: null,
    mayCommit: () => !following.stopped && lease.held(),
  }
  let heard = false
  let wake: () => void = () => {}
  const hear = () => {
    heard = true
    wake()
  }
  const lease = holdLease(needs, network.id, needs.holder, hear)
  const deaf = service.heads.subscribe(hear)
  const forgetGauges = gauges(telemetry, following)
  const progress = watchProgress(needs, following)

  /** Until there is news or `ms` have passed; news does not cut short a pause after a failure. */
  const rest = (ms: number, deafened: boolean) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      wake = () => {
        if (deafened && !following.stopped) return
        cancel()
        resolve()
      }
      if (following.stopped || (heard && !deafened)) wake()
    })

  const loop = async () => {
    let pauseMs = PAUSE_MS_MIN
    while (!following.stopped) {
      heard = false
      try {
        await look(needs, following)
        pauseMs = PAUSE_MS_MIN
        await rest(LOOK_EVERY_MS, false)
      } catch (thrown) {
        // The store may be closed by now.
        if (following.stopped) return
        noteTrouble(telemetry, network.id, thrown)
        // The store may have moved although it could not say so.
        following.loaded = false
        await rest(pauseMs, true)
        pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)
      }
    }
  }
  void loop()

  return {
    status: () => statusOf(following),
    isBehind: progress.isBehind,
    async stop() {
      following.stopped = true
      progress.stop()
      deaf()
      forgetGauges()
      wake()
      const committed = following.commit?.catch(() => {})
      await Promise.race([committed, clock.sleep(STOP_MS_MAX)])
      await lease.release()
    },
  }
}

function statusOf({ tail, sequenceNumber }: Following): ReturnType<Follower['status']> {
  const tip = tail.at(-1)
  if (!tip || sequenceNumber === null) return null
  return { number: tip.number, hash: tip.hash, sequenceNumber }
}

function watchProgress(needs: Needs, following: Following): ProgressWatch {
  const { network, pool } = following.service
  return openProgressWatch(needs, network, {
    tip: () => following.tail.at(-1)?.number ?? null,
    head: () => pool.selection.head?.number ?? null,
    isOurs: following.mayCommit,
  })
}

/** Follows whatever the upstreams announce that are heard, until nothing of it leads further. */
async function look(needs: Needs, following: Following): Promise<void> {
  if (!following.mayCommit()) {
    following.loaded = false
    return
  }
  if (!following.loaded) await load(needs, following)
  for (let news = bestNews(needs, following); news; news = bestNews(needs, following)) {
    const { hash } = news.header
    const progress = await followHead(needs, following, news)
    if (!following.mayCommit() || !following.loaded) return
    if (progress === 'advanced') continue
    const { blockTimeMs } = following.service.network
    doubt(following, hash, needs.clock.monotonicMs() + Math.max(DOUBT_MS_MIN, blockTimeMs / 4))
  }
}

async function load(needs: Needs, following: Following): Promise<void> {
  const stored = await readChain(needs.database, following.service.network.id)
  following.tail = stored?.headers ?? []
  following.sequenceNumber = stored?.sequenceNumber ?? null
  following.finalized = stored?.finalized ?? null
  following.loaded = true
}

/** The highest head that is news; of equal ones, the one that most upstreams agree on. */
function bestNews({ clock }: Needs, following: Following): News | null {
  const { service, tail, doubtedUntilMs } = following
  const agreed = service.pool.selection.head?.hash
  const nowMs = clock.monotonicMs()
  let best: News | null = null
  for (const news of service.heads.latest()) {
    const { number, hash } = news.header
    if (isOldNews(tail, news.header) || (doubtedUntilMs.get(hash) ?? 0) > nowMs) continue
    // The very first block cannot be checked against anything but the others' word.
    if (tail.length === 0 && hash !== agreed) continue
    const higher = number - (best?.header.number ?? -1)
    if (higher > 0 || (higher === 0 && hash === agreed)) best = news
  }
  return best
}

function doubt({ doubtedUntilMs }: Following, hash: string, untilMs: number): void {
  const oldest = doubtedUntilMs.keys().next().value
  if (doubtedUntilMs.size >= DOUBTS_MAX && oldest !== undefined) doubtedUntilMs.delete(oldest)
  doubtedUntilMs.set(hash, untilMs)
}

function noteTrouble(telemetry: Telemetry, network: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  telemetry.log('warn', 'follower_trouble', { network, reason })
  telemetry.count('headgate_follower_troubles_total', { network })
}

function gauges(telemetry: Telemetry, following: Following): () => void {
  const { network, pool } = following.service
  const labels = { network: network.id }
  const tip = () => following.tail.at(-1)?.number ?? 0
  const forget = [
    telemetry.gauge('headgate_follower_block', labels, tip),
    telemetry.gauge('headgate_follower_lag_blocks', labels, () =>
      Math.max(0, (pool.selection.head?.number ?? 0) - tip()),
    ),
  ]
  return () => forget.forEach((one) => void one())
}
