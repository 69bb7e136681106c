import type { Delivery, WebhookStats } from '@headgate/client'
import { useRef } from 'preact/hooks'
import { Figure } from '../../../parts/fact.tsx'
import { Strip, type StripMark } from '../../../parts/strip.tsx'
import { ms, percent, plural, whole } from '../../../parts/text/format.ts'
import { deliveryMark } from '../../../parts/webhooks/delivery-mark.ts'
import type { DeliveryLog } from './delivery-log.ts'

/** As many as the first page has. */
const NEWEST = 100

/** The strip has so many marks, where the window is wide enough for them. */
const MARKS = 60

/** How a webhook does: of a day from the service, of the newest from the log itself. */
export function LogFigures(props: {
  stats: WebhookStats | undefined
  log: DeliveryLog
  isFiltered: boolean
}) {
  const { stats } = props
  const newest = useNewest(props.log, props.isFiltered)
  const day = stats?.last_24_hours
  const success = stats?.success_percent
  const recent = stats?.recent.map((delivery) => ({ kind: deliveryMark(delivery) })) ?? []
  const median = medianOf(newest.flatMap(({ took_ms: took }) => took ?? []))
  return (
    <div class="cb pad histo">
      <dl class="figs">
        <Figure
          class="m"
          name="Delivered, 24 h"
          tone={success != null && success < 99 ? 'warn' : ''}
        >
          {success == null ? 'n/a' : percent(success)}
        </Figure>
        <Figure class="m" name="Sent">
          {day ? whole(day.delivered + day.failed) : '…'}
        </Figure>
        <Figure
          class="m"
          name="Median answer"
          title={`Of the newest ${plural(newest.length, 'delivery', 'deliveries')}`}
        >
          {median === null ? 'n/a' : ms(median)}
        </Figure>
        <Figure class="m" name="Waiting" tone={day && day.waiting > 0 ? 'warn' : ''}>
          {day ? whole(day.waiting) : '…'}
        </Figure>
      </dl>
      <Strip
        marks={newest.length > 0 ? marksOf(newest) : recent}
        step={6}
        label="The newest deliveries, newest right; height is size, colour is outcome"
      />
    </div>
  )
}

/** The newest rows of the whole log; while it is filtered, as they were before. */
function useNewest(log: DeliveryLog, isFiltered: boolean): readonly Delivery[] {
  const seen = useRef<readonly Delivery[]>([])
  const { count } = log.state()
  if (!isFiltered && count > 0) {
    const rows = Array.from({ length: Math.min(NEWEST, count) }, (_, at) => log.rowAt(at))
    seen.current = rows.filter((row) => row !== undefined)
  }
  return seen.current
}

function marksOf(newest: readonly Delivery[]): StripMark[] {
  const shown = newest.slice(0, MARKS).toReversed()
  const largest = Math.max(1, ...shown.map(({ bytes }) => bytes ?? 0))
  return shown.map((delivery) => {
    const { bytes, block_number: block } = delivery
    const size = bytes === null ? 0.35 : 0.35 + (0.65 * bytes) / largest
    const tip = `${block === null ? 'Error event' : `Block ${whole(block)}`} · ${delivery.status}`
    return { kind: deliveryMark(delivery), size, tip }
  })
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
