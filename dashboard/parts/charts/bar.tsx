import { Plot } from './plot.tsx'

export function Bar(props: { percent: number; label: string; tone?: string; thin?: boolean }) {
  const width = Math.max(0, Math.min(100, props.percent))
  return (
    <Plot class={props.thin ? 'bar b4' : 'bar'} width={100} height={1} label={props.label}>
      <rect x="0" width={width} height="1" class={props.tone ?? 'fa'} />
    </Plot>
  )
}
