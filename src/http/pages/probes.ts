import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database, StoreHealth } from '../../ports/database.ts'
import { readRevision } from '../../tables/sql/revisions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { networkReport } from '../../upstream/answers/network-report.ts'

type Needs = {
  clock: Clock
  database: Database
  storeHealth: StoreHealth
  networks(): readonly NetworkService[]
  isBehind(networkId: string): boolean
  /** Somebody serves JSON-RPC, where this process is to have it served. */
  isServing(): boolean
  /** The metrics of all processes of this service. */
  exposition(): Promise<string>
}

/** A head nobody has reported for so many polls is not fresh. */
const HEAD_AGE_POLLS = 4
const HEAD_AGE_MS_MIN = 5000

/** A store that takes longer is not reachable, as far as a load balancer cares. */
const STORE_MS_MAX = 2000

/** The process runs; says nothing about what is around it. */
export function healthProbe(): Response {
  return json(200, { status: 'ok' })
}

/**
 * All is well: the store answers and took the last commit, each network has a fresh head, and its
 * follower is there.
 */
export async function readinessProbe(needs: Needs): Promise<Response> {
  const store = needs.storeHealth.commits() && (await storeAnswers(needs))
  const networks = needs.networks().map((service) => {
    const { id, head } = networkReport(service)
    const { headPollMs } = service.network
    const ageMsMax = Math.max(HEAD_AGE_MS_MIN, headPollMs * HEAD_AGE_POLLS)
    const fresh = head !== null && head.age_ms <= ageMsMax
    const behind = needs.isBehind(id)
    return { id, ready: fresh && !behind, head: head?.number ?? null, follower_behind: behind }
  })
  const ready = store && needs.isServing() && networks.every((network) => network.ready)
  // Stored webhooks and calls go on with little room, so traffic may come.
  const { isLow: disk_low } = needs.storeHealth.room()
  return json(ready ? 200 : 503, { ready, store, disk_low, networks })
}

export async function metricsPage(needs: Pick<Needs, 'exposition'>): Promise<Response> {
  return new Response(await needs.exposition(), {
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
  })
}

async function storeAnswers(needs: Needs): Promise<boolean> {
  const asked = readRevision(needs.database, 'accounts').then(
    () => true,
    () => false,
  )
  return within(needs.clock, STORE_MS_MAX, asked, () => false)
}

function json(status: number, value: unknown): Response {
  return Response.json(value, {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  })
}
