import { useState } from 'preact/hooks'

/** A column: its parts from the bottom up, by the order of the series. */
export type Column = {
  label: string
  tip: string
  parts: readonly number[]
  /** Expected, and not there yet; drawn pale behind the parts. */
  ghost?: number
}

const WIDTH = 1000
const GAP = 0.18
const GRID = [1, 2 / 3, 1 / 3]

type Props = {
  label: string
  columns: readonly Column[]
  height: number
  axis(value: number): string
  /** Opens a column, by its place. */
  onOpen?(at: number): void
}

export function ColumnChart({ label, columns, height, axis, onOpen }: Props) {
  const [at, setAt] = useState(-1)
  const most = niceCeiling(Math.max(0, ...columns.map(tallOf)))
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (event.key === 'Enter' && columns[at]) onOpen?.(at)
    if (!by) return
    event.preventDefault()
    setAt((old) => Math.max(0, Math.min(columns.length - 1, (old < 0 ? -by : old) + by)))
  }
  const chosen = columns[at]
  return (
    <div class="chart cols left">
      <div class="y" aria-hidden="true" style={{ height: `${height}px` }}>
        {GRID.map((part) => (
          <span key={part} style={{ top: `${(1 - part) * 100}%` }}>
            {axis(most * part)}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        style={{ height: `${height}px` }}
        role="img"
        aria-label={`${label}. ${chosen?.tip ?? ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys tell the values.
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setAt(-1)}
      >
        {GRID.map((part) => (
          <path key={part} class="gl" d={`M0 ${(1 - part) * height}H${WIDTH}`} />
        ))}
        <Columns {...{ columns, height, most, at, onOpen }} />
        <path class="ax" d={`M0 ${height}H${WIDTH}`} />
      </svg>
      {chosen && <KeyTip text={chosen.tip} part={at / columns.length} />}
      <div class="x" aria-hidden="true">
        {edgeLabels(columns).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
    </div>
  )
}

type ColumnsProps = Pick<Props, 'columns'> & {
  height: number
  most: number
  at: number
  onOpen: ((at: number) => void) | undefined
}

function Columns({ columns, height, most, at, onOpen }: ColumnsProps) {
  const step = WIDTH / Math.max(1, columns.length)
  return columns.map((column, place) => {
    const across = { x: (place + GAP / 2) * step, width: step * (1 - GAP) }
    const ghost = ((column.ghost ?? 0) / most) * height
    return (
      <g key={column.label}>
        {ghost > 0 && <rect {...across} y={height - ghost} height={ghost} class="ghost-bar" />}
        {stack(column.parts, most, height).map(({ y, tall }, series) => (
          <rect
            key={series}
            {...across}
            y={y}
            height={tall}
            class={`f${Math.min(series, 5) + 1} seam`}
          />
        ))}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter opens a column, too. */}
        <rect
          class={`hit${place === at ? ' on' : ''}${onOpen ? ' opens' : ''}`}
          x={place * step}
          width={step}
          height={height}
          data-tip={column.tip}
          onClick={onOpen && (() => onOpen(place))}
        />
      </g>
    )
  })
}

/** The values of the column that the arrow keys are at; its label tells them to screen readers. */
function KeyTip({ text, part }: { text: string; part: number }) {
  const side = part < 0.5 ? { left: `${part * 100}%` } : { right: `${(1 - part) * 100}%` }
  return (
    <div class="keytip" aria-hidden="true" style={side}>
      {text}
    </div>
  )
}

/** A figure that an axis ends at and whose thirds are round. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1.2, 1.5, 3, 4.5, 6, 9, 12].find((one) => value <= one * power) ?? 12
  return step * power
}

export function stack(parts: readonly number[], most: number, height: number) {
  let y = height
  return parts.map((part) => {
    const tall = (part / most) * height
    y -= tall
    return { y, tall }
  })
}

function tallOf({ parts, ghost = 0 }: Column): number {
  const sum = parts.reduce((all, part) => all + part, 0)
  return Math.max(sum, ghost)
}

function edgeLabels(columns: readonly Column[]): string[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * (columns.length - 1)))
  return [...new Set(places)].flatMap((at) => columns[at]?.label ?? [])
}
