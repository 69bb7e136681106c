import { monthName, utcDay } from '../../parts/text/utc-dates.ts'
import { besides, changeUsageView, type UsageView } from './usage-view.ts'

export function PeriodStepper({ view }: { view: UsageView }) {
  const before = besides(view.period, -1)
  const after = besides(view.period, 1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend along.
    <div class="stepper" role="group" aria-label="Period">
      <button
        type="button"
        aria-label={periodName(before)}
        title={periodName(before)}
        onClick={() => changeUsageView({ period: before })}
      >
        ‹
      </button>
      <span class="small strong500 px" aria-live="polite">
        {periodName(view.period)}
      </span>
      <button
        type="button"
        aria-label={periodName(after)}
        title={view.isCurrent ? 'The present is in view' : periodName(after)}
        disabled={view.isCurrent}
        onClick={() => changeUsageView({ period: after })}
      >
        ›
      </button>
    </div>
  )
}

/** November 2026, or 15 Nov 2026. */
export function periodName(period: string): string {
  const year = period.slice(0, 4)
  if (period.length > 7) return `${utcDay(Date.parse(`${period}T00:00:00Z`))} ${year}`
  return `${monthName(period)} ${year}`
}
