import type { NetworkReport } from '../../api/wire.ts'
import { Spark } from '../../parts/charts/spark.tsx'
import { lastHours } from '../../parts/text/utc-dates.ts'

type Hour = NetworkReport['upstreams'][number]['hours'][number]

/** Some errors are drawn this tall at least, so that one in a thousand is seen. */
const LEAST = 0.08

/** Errors of the last 24 hours; a flat line is a good day. */
export function ErrorSpark({ hours }: { hours: readonly Hour[] }) {
  const rates = new Map(hours.map((hour) => [hour.start, rateOf(hour)]))
  const values = lastHours().map((start) => {
    const rate = rates.get(start) ?? 0
    return rate === 0 ? 0 : Math.max(LEAST, rate)
  })
  const worst = Math.max(0, ...rates.values())
  const tone = worst >= 0.05 ? 'bad' : worst >= 0.005 ? 'warn' : 'q'
  const label = `At most ${Math.round(worst * 1000) / 10} % errors in an hour`
  return <Spark values={values} tone={tone} label={label} />
}

function rateOf({ calls, errors }: Hour): number {
  return calls === 0 ? 0 : errors / calls
}
