const WIDTH = 92
const HEIGHT = 22

/** A line as small as a word; it says nothing that figures beside it do not say. */
export function Spark({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map((value, at) => `${at * step},${20 - (value / most) * 18}`)
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <line class="gl" x1="0" x2={WIDTH} y1="20.5" y2="20.5" />
      <polyline class="ln q" points={points.join(' ')} />
    </svg>
  )
}
