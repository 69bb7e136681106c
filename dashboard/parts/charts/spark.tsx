import { Plot } from './plot.tsx'

const WIDTH = 92
const HEIGHT = 22
const GROUND = 20

/** A line as small as a word, of values from 0 to 1. */
export function Spark(props: { values: readonly number[]; tone?: string; label: string }) {
  const { values, tone = 'q', label } = props
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map((value, at) => `${at * step},${GROUND - value * 18}`)
  return (
    <Plot class="spark" width={WIDTH} height={HEIGHT} label={label}>
      <path class="gl" d={`M0 20.5H${WIDTH}`} />
      <polyline class={`ln ${tone}`} points={points.join(' ')} />
    </Plot>
  )
}
