export type StripMark = {
  kind: 'calm' | 'ok' | 'warn' | 'bad' | 'fork' | 'idle'
  /** From 0 to 1; a whole mark where nothing is said. */
  size?: number
  tip?: string
}

const WIDTH = 5
const SMALLEST = 4

/** One mark a block or delivery, newest right; it fades into the past on the left. */
export function Strip(props: {
  marks: readonly StripMark[]
  label: string
  height?: number
  step?: number
  /** The width of a mark. */
  mark?: number
  /** Begins at the left and does not fade: for columns of strips. */
  isLeft?: boolean
}) {
  const { marks, height = 20, step = 8, mark = WIDTH } = props
  const width = Math.max(0, marks.length * step - (step - mark))
  return (
    <span class={props.isLeft ? 'strip left' : 'strip'}>
      <svg width={width} height={height} role="img" aria-label={props.label}>
        {marks.map(({ kind, size = 1, tip }, at) => {
          const tall = Math.max(SMALLEST, Math.round(height * size))
          const shape = { x: at * step, y: height - tall, width: mark, height: tall, rx: 1.5 }
          return <rect key={at} {...shape} class={`f${kind}`} data-tip={tip} />
        })}
      </svg>
    </span>
  )
}

export function Tries(props: { failed: number; isAccepted: boolean; isDue: boolean }) {
  const { failed, isAccepted, isDue } = props
  const words = [
    failed > 0 ? `${failed} failed` : '',
    isAccepted ? 'accepted' : '',
    isDue ? 'next is due' : '',
  ]
  return (
    <span class="tries" role="img" aria-label={words.filter(Boolean).join(', ')}>
      {Array.from({ length: failed }, (_, at) => (
        <i key={at} class="bad" />
      ))}
      {isAccepted && <i />}
      {isDue && <i class="next" />}
    </span>
  )
}
