import type { WebhookLines } from '../schedule/webhook-lines.ts'
import { type DeliverNeeds, deliver, giveUp, release } from './deliver.ts'
import type { Parcel } from './parcel.ts'

type Needs = DeliverNeeds & { lines: Pick<WebhookLines, 'isOutdated'>; isStopped(): boolean }

/** What is ours and goes out now, in the order it was put in. */
export type Outbox = { put(parcel: Parcel): void }

/**
 * So many are signed and sent in one go. A commit of hundreds would hold up this thread for
 * long, and with it the next commit, whose steps pass through it.
 */
const SLICE = 16

export function openOutbox(needs: Needs): Outbox {
  const { clock } = needs
  let waiting: Parcel[] = []
  let isEmptying = false

  const empty = () => {
    const slice = waiting.length <= SLICE ? waiting : waiting.slice(0, SLICE)
    waiting = waiting.length <= SLICE ? [] : waiting.slice(SLICE)
    for (const parcel of slice) send(needs, parcel)
    isEmptying = waiting.length > 0
    if (isEmptying) clock.after(0, empty)
  }

  return {
    put(parcel) {
      waiting.push(parcel)
      if (isEmptying) return
      isEmptying = true
      queueMicrotask(empty)
    },
  }
}

function send(needs: Needs, parcel: Parcel): void {
  const { clock, settings } = needs
  const { row, line, body } = parcel
  // After a standstill the lease may not last, and then somebody else sends it too.
  const lasts = clock.nowMs() + settings.timeoutMs < parcel.leaseUntilMs
  // What was changed while this was read may be that it is paused.
  const isActive = line.webhook.state === 'active' && !needs.lines.isOutdated(row.webhookId)
  const isWanted = row.kind === 'error' || isActive
  // It was read for a destination that the webhook no longer leads to.
  const isMoved = parcel.url !== line.webhook.url
  const overtakes = parcel.lane === 'first' && parcel.setbacks !== line.setbacks
  if (!lasts || !isWanted || isMoved || overtakes || needs.isStopped()) release(needs, parcel)
  else if (body === null) giveUp(needs, parcel)
  else deliver(needs, parcel, body)
}
