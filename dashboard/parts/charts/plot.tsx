import type { ComponentChildren } from 'preact'

type Props = {
  width: number
  height: number
  /** What it shows, for screen readers. */
  label: string
  class?: string
  children: ComponentChildren
}

/** A drawing in units of its own that fills its box. */
export function Plot({ width, height, label, class: classes, children }: Props) {
  return (
    <svg
      class={classes}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {children}
    </svg>
  )
}
