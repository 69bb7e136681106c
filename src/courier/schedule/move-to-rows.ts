import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { EventNews } from '../../tables/chain/chain-events.ts'
import type { ReadyDelivery } from '../../tables/deliveries/delivery-claims.ts'
import { moveSome } from '../../tables/deliveries/sheets/sheets.ts'
import type { WebhookLines } from './webhook-lines.ts'

type Needs = {
  clock: Clock
  database: Database
  lines: WebhookLines
  isStopped(): boolean
  failed(thrown: unknown): void
  ready(): void
}

type MovedEvent = Pick<EventNews, 'network' | 'sequenceNumber'>

/** What cannot be kept in hand gets rows. */
export type Moves = {
  /** Ends when they have them. */
  move(event: MovedEvent, rows: readonly ReadyDelivery[]): Promise<void>
  /** Something of this webhook is not in the table yet, and newer ones must not overtake it. */
  isMoving(webhookId: string): boolean
}

const AGAIN_MS_MIN = 100
const AGAIN_MS_MAX = 2000

export function openMoves(needs: Needs): Moves {
  const { clock, database, lines } = needs
  const moving = new Map<string, number>()
  // One after the other, so that no newer one of a webhook stands in the table before an older.
  let last: Promise<void> = Promise.resolve()

  const change = (webhookId: string, by: 1 | -1) => {
    const count = (moving.get(webhookId) ?? 0) + by
    if (count === 0) moving.delete(webhookId)
    else moving.set(webhookId, count)
  }

  /** Until the store takes it. Where we are stopped before, the next process finds it open. */
  const work = async ({ network, sequenceNumber }: MovedEvent, rows: readonly ReadyDelivery[]) => {
    const positions = rows.map(({ position }) => position ?? 0)
    for (let waitMs = AGAIN_MS_MIN; !needs.isStopped(); waitMs *= 2) {
      try {
        await database.transaction((tx) => moveSome(tx, { network, sequenceNumber }, positions))
        break
      } catch (thrown) {
        needs.failed(thrown)
        await clock.sleep(Math.min(AGAIN_MS_MAX, waitMs))
      }
    }
    const webhookIds = rows.map(({ webhookId }) => webhookId)
    for (const webhookId of webhookIds) change(webhookId, -1)
    lines.remind(webhookIds, false)
    needs.ready()
  }

  return {
    move(event, rows) {
      if (rows.length === 0) return last
      for (const { webhookId } of rows) change(webhookId, 1)
      last = last.then(() => work(event, rows))
      return last
    },
    isMoving: (webhookId) => moving.has(webhookId),
  }
}
