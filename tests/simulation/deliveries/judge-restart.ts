import type { Life } from '../process-life.ts'
import type { BookedDelivery, BookedWebhook } from './book.ts'
import { complain, type DeliveryRun, isPrompt, staleMs } from './delivery-run.ts'
import { nameOf } from './judge-posts.ts'

/** Much less than any lease lasts, and enough for a host that is well to answer some. */
const SOON_MS = 2_000

/**
 * Who sends alone goes on at once with what its last life has left behind: there is no lease
 * that has to lapse. To be called when it starts.
 */
export function judgeRestart(run: DeliveryRun, life: Life, isStopping: () => boolean): void {
  const { book, clock } = run
  if (!isPrompt(run.plan)) return
  const startedMs = clock.elapsedMs()
  const left = [...book.webhooks.values()].flatMap((webhook) => {
    const oldest = oldestNew(webhook)
    return oldest ? [{ webhook, oldest, changes: webhook.versions.length }] : []
  })
  const check = () => {
    if (isStopping()) return
    for (const { webhook, oldest, changes } of left) {
      if (webhook.versions.length !== changes || !isWell(run, webhook, startedMs)) continue
      if (oldest.row.state !== 'waiting' || wasSentBy(run, life, oldest)) continue
      complain(run, `${nameOf(oldest.row)} is left lying by ${life.name}`)
    }
  }
  clock.after(SOON_MS, check, life)
}

/** Stopped in good time, it has written what became of all it has sent. */
export function judgeStop(run: DeliveryRun, life: Life): void {
  for (const { deliveryId, isWritten, life: sender, startedMs } of run.posts) {
    const againAtMs = run.book.deliveries.get(deliveryId)?.againAtMs ?? 0
    if (sender !== life || isWritten || againAtMs + staleMs(run) >= startedMs) continue
    complain(run, `${life.name} stops and says nothing of ${deliveryId}`)
  }
}

/** Nothing of its webhook may go before it. */
function oldestNew({ row, deliveries }: BookedWebhook): BookedDelivery | null {
  if (row.state !== 'active') return null
  const number = (one: BookedDelivery) => one.row.sequence_number ?? 0
  const waiting = deliveries.filter((one) => one.row.kind === 'data' && one.row.state === 'waiting')
  const [oldest] = waiting.sort((a, b) => number(a) - number(b))
  return oldest?.row.lane === 'first' ? oldest : null
}

function isWell({ plan, receivers }: DeliveryRun, { row }: BookedWebhook, fromMs: number): boolean {
  const host = new URL(row.url).hostname
  const tempers = plan.hosts.find(({ name }) => name === host)?.tempers ?? []
  const stays = !tempers.some((one) => one.fromMs > fromMs && one.fromMs <= fromMs + SOON_MS)
  return stays && receivers.temperOf(host, fromMs) === 'well'
}

function wasSentBy({ posts }: DeliveryRun, life: Life, { row }: BookedDelivery): boolean {
  return posts.some((post) => post.life === life && post.deliveryId === row.id)
}
