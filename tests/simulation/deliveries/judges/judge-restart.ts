import { shardOf } from '../../../../src/tables/deliveries/shards.ts'
import type { Life } from '../../process-life.ts'
import type { BookedDelivery, BookedWebhook } from '../book.ts'
import { complain, type DeliveryRun, isPrompt, staleMs } from '../delivery-run.ts'
import { epochOf, isOwn, leaseOf } from '../owners.ts'
import { nameOf } from '../posted.ts'

/** Much less than any lease lasts, and enough for a host that is well to answer some. */
const SOON_MS = 2_000

/**
 * A courier that starts under the name of its last life goes on at once with what that has left
 * behind: there is no lease that has to lapse. To be called when it has started.
 */
export function judgeRestart(run: DeliveryRun, life: Life, isStopping: () => boolean): void {
  const { book, clock, couriers } = run
  if (!isPrompt(run.plan)) return
  const startedMs = clock.elapsedMs()
  const left = [...book.webhooks.values()].flatMap((webhook) => {
    const shard = book.owners.shards.get(shardOf(webhook.row.number))
    const oldest = isOwn(shard?.courier ?? '', life.name) ? oldestNew(webhook) : null
    const epoch = epochOf(book.owners, webhook.row.number)
    return oldest ? [{ webhook, oldest, epoch, changes: webhook.versions.length }] : []
  })
  const check = () => {
    if (isStopping() || couriers.get(life.name)?.sleptMs !== 0) return
    for (const { webhook, oldest, epoch, changes } of left) {
      const { number } = webhook.row
      if (!leaseOf(book.owners, number, life.name)) continue
      if (epochOf(book.owners, number) !== epoch) continue
      if (webhook.versions.length !== changes || !isWell(run, webhook, startedMs)) continue
      if (oldest.row.state !== 'waiting' || wasSentBy(run, life, oldest)) continue
      complain(run, `${nameOf(oldest.row)} is left lying by ${life.name}`)
    }
  }
  clock.after(SOON_MS, check, life)
}

/** Stopped in good time, it has written what became of all it has sent, and owns nothing. */
export function judgeStop(run: DeliveryRun, life: Life): void {
  const { deliveries, owners } = run.book
  const courier = run.couriers.get(life.name)?.courier ?? ''
  // What it had sent before it was fenced is for its next owner to settle.
  const token = `${courier}/${owners.tokens.get(courier)}/`
  for (const { deliveryId, isWritten, life: sender, startedMs, epoch } of run.posts) {
    const againAtMs = deliveries.get(deliveryId)?.againAtMs ?? 0
    const isOwed = sender === life && !isWritten && epoch.startsWith(token)
    if (!isOwed || againAtMs + staleMs(run, life) >= startedMs) continue
    complain(run, `${life.name} stops and says nothing of ${deliveryId}`)
  }
  for (const [shard, owner] of owners.shards) {
    if (owner.courier !== courier) continue
    return void complain(run, `${life.name} stops and keeps shard ${shard}`)
  }
}

/** Nothing of its webhook may go before it. */
function oldestNew({ row, deliveries }: BookedWebhook): BookedDelivery | null {
  if (row.state !== 'active') return null
  const waiting = deliveries.filter((one) => one.row.kind === 'data' && one.row.state === 'waiting')
  const [oldest] = waiting.sort((a, b) => a.row.event - b.row.event)
  return oldest?.row.lane === 'new' ? oldest : null
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
