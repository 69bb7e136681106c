const LINES = 13
const WAVES = 9

/** The drawing behind the door: still water below a gate. */
export function Water() {
  return (
    <svg class="water" viewBox="0 0 1440 480" preserveAspectRatio="none" aria-hidden="true">
      {Array.from({ length: LINES }, (_, at) => (
        <path
          key={at}
          d={waveAt(at)}
          transform={`translate(${-((at * 53) % 240)} 0)`}
          opacity={0.1 + at * 0.055}
        />
      ))}
    </svg>
  )
}

/** Lines stand further apart and swing more towards the viewer. */
function waveAt(at: number): string {
  const y = 40 + 10 * at + 3.1 * at * at
  const swing = 7 + 2.6 * at
  const wave = `c60 ${-swing} 60 ${-swing} 120 0s60 ${swing} 120 0`
  return `M-200 ${y}${wave.repeat(WAVES)}`
}
