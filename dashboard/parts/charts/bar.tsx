/** A part of a whole, from 0 to 100. */
export function Bar(props: { percent: number; label: string; tone?: string; thin?: boolean }) {
  const width = Math.max(0, Math.min(100, props.percent))
  return (
    <svg
      class={props.thin ? 'bar b4' : 'bar'}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      role="img"
      aria-label={props.label}
    >
      <rect x="0" width={width} height="1" class={props.tone ?? 'fa'} />
    </svg>
  )
}
