import type { NetworkReport } from '../../api/wire.ts'

type Hour = NetworkReport['upstreams'][number]['hours'][number]

const HOURS = 24
const HOUR_MS = 3_600_000
const WIDTH = 92
const HEIGHT = 22
const GROUND = 20
const TALL = 17

/** Some errors are drawn this tall at least, so that one in a thousand is seen. */
const LEAST = 0.08

/** Errors of the last 24 hours; a flat line is a good day. */
export function ErrorSpark({ hours }: { hours: readonly Hour[] }) {
  const nowMs = Date.now()
  const firstMs = nowMs - (nowMs % HOUR_MS) - (HOURS - 1) * HOUR_MS
  const rates = new Map(hours.map((hour) => [hour.start, rateOf(hour)]))
  const points = Array.from({ length: HOURS }, (_, at) => {
    const rate = rates.get(firstMs + at * HOUR_MS) ?? 0
    const tall = rate === 0 ? 0 : Math.max(LEAST, rate) * TALL
    return `${Math.round((at * WIDTH) / (HOURS - 1))},${(GROUND - tall).toFixed(1)}`
  })
  const worst = Math.max(0, ...rates.values())
  const tone = worst >= 0.05 ? 'bad' : worst >= 0.005 ? 'warn' : 'q'
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`At most ${Math.round(worst * 1000) / 10} % errors in an hour`}
    >
      <path class="gl" d={`M0 20.5H${WIDTH}`} />
      <polyline class={`ln ${tone}`} points={points.join(' ')} />
    </svg>
  )
}

function rateOf({ calls, errors }: Hour): number {
  return calls === 0 ? 0 : errors / calls
}
