import { useState } from 'preact/hooks'
import { niceCeiling } from './column-chart.tsx'
import { Plot } from './plot.tsx'

/** A moment of a line: `share` is the part of it that went well, null where nothing was. */
export type AreaPoint = {
  start: number
  label: string
  tip: string
  value: number
  share: number | null
}

const WIDTH = 960
const HEIGHT = 150
const STRIP_WIDTH = 480
const STRIP_HEIGHT = 14

const SHARE_WARN = 0.999
const SHARE_BAD = 0.99

type Props = {
  label: string
  points: readonly AreaPoint[]
  axis(value: number): string
}

export function AreaChart({ label, points, axis }: Props) {
  const [at, setAt] = useState(-1)
  const most = niceCeiling(Math.max(0, ...points.map(({ value }) => value)))
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    setAt((old) => Math.max(0, Math.min(points.length - 1, (old < 0 ? points.length : old) + by)))
  }
  const step = WIDTH / Math.max(1, points.length - 1)
  return (
    <div class="chart h150">
      <div class="y" aria-hidden="true">
        {[1, 2 / 3, 1 / 3].map((part) => (
          <span key={part}>{axis(most * part)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}. ${points[at]?.tip ?? ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys tell the values.
        tabIndex={0}
        onKeyDown={move}
      >
        <Lines points={points} most={most} step={step} />
        <g class="cols">
          {points.map(({ start, tip }, place) => (
            <rect
              key={start}
              class={place === at ? 'hit on' : 'hit'}
              x={(place - 0.5) * step}
              width={step}
              height={HEIGHT}
              data-tip={tip}
            />
          ))}
        </g>
      </svg>
      <SuccessStrip points={points} />
      <div class="x" aria-hidden="true">
        {axisPoints(points).map(({ start, label: text }) => (
          <span key={start}>{text}</span>
        ))}
      </div>
    </div>
  )
}

type LinesProps = { points: readonly AreaPoint[]; most: number; step: number }

/** The last bucket is not over yet: the line to it is dashed. */
function Lines({ points, most, step }: LinesProps) {
  const placed = points.map(({ value }, at) => `${at * step} ${HEIGHT * (1 - value / most)}`)
  const whole = placed.length > 2 ? placed.slice(0, -1) : placed
  const line = `M${whole.join('L')}`
  const end = (whole.length - 1) * step
  return (
    <>
      {[0.5, HEIGHT / 3, (HEIGHT * 2) / 3].map((y) => (
        <line key={y} class="gl" x2={WIDTH} y1={y} y2={y} />
      ))}
      {whole.length > 1 && <path class="area" d={`${line}L${end} ${HEIGHT}L0 ${HEIGHT}Z`} />}
      {whole.length > 1 && <path class="ln" d={line} />}
      {whole !== placed && <path class="ln dash" d={`M${placed.slice(-2).join('L')}`} />}
      <line class="ax" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
    </>
  )
}

function SuccessStrip({ points }: { points: readonly AreaPoint[] }) {
  const step = STRIP_WIDTH / Math.max(1, points.length)
  const shares = points.flatMap(({ share, label }) => (share === null ? [] : [{ share, label }]))
  const worst = shares.toSorted((a, b) => a.share - b.share)[0]
  const lowest =
    worst && worst.share < 1 ? `lowest ${shareText(worst.share)} at ${worst.label}` : ''
  return (
    <Plot
      class="okstrip"
      width={STRIP_WIDTH}
      height={STRIP_HEIGHT}
      label={`How much succeeded; ${lowest || 'all of it'}`}
    >
      {points.map(({ start, label, share }, at) => (
        <rect
          key={start}
          x={at * step}
          width={step * 0.86}
          height={STRIP_HEIGHT}
          class={toneOf(share)}
          data-tip={`${label}  ${share === null ? 'no calls' : shareText(share)}`}
        />
      ))}
    </Plot>
  )
}

function toneOf(share: number | null): string {
  if (share === null) return 'fsoft'
  if (share < SHARE_BAD) return 'fbad'
  return share < SHARE_WARN ? 'fwarn' : 'fcalm'
}

/** Never rounded up to all of it. */
function shareText(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`
}

function axisPoints(points: readonly AreaPoint[]): AreaPoint[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.floor(part * (points.length - 1)))
  return [...new Set(places)].flatMap((at) => points[at] ?? [])
}
