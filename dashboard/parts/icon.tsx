/** The drawings of icons, 16 by 16, as one line each. */
const ICON_PATHS = {
  home: 'M2.5 9.5 8 3l5.5 6.5M4 8v5.5h8V8',
  apps: 'M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5h-4.5z',
  hook: 'M6.2 6.9a2.6 2.6 0 1 1 3.9-1.2L12 9M5.3 8.2A2.6 2.6 0 1 0 6.9 12h3.3M9.2 6.3l-2.3 4M12.2 9.1a2.6 2.6 0 1 1-1.9 4.1',
  usage: 'M2.5 13.5h11M4 11V8M7 11V4.5M10 11V6.5M13 11V2.5',
  nodes: 'M3 3h10v3.6H3zM3 9.4h10V13H3zM5.4 4.8h.01M5.4 11.2h.01',
  flask:
    'M6.3 2.5v4L3 12.4a.8.8 0 0 0 .7 1.1h8.6a.8.8 0 0 0 .7-1.1L9.7 6.5v-4M5.3 2.5h5.4M4.6 10h6.8',
  find: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  x: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8 5.6 5.6 0 1 0 13.2 9.6Z',
  chev: 'M6 4l4 4-4 4',
  ud: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  warn: 'M8 2.2 14.5 13.5h-13zM8 6.5v3M8 11.6h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.4v3.4M8 5.2h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.6 8z',
  again: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  rotate: 'M13.5 6.5A5.8 5.8 0 0 0 3 5M2.5 2.5V5.4h3M2.5 9.5A5.8 5.8 0 0 0 13 11m.5 2.5v-2.9h-3',
  fork: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5c0 3-3 2.5-5.6 4.6',
  key: 'M10 9.5a3.7 3.7 0 1 0-3.4-2.2L2.5 11.4v2.1h2.6v-1.6h1.6v-1.5L8 9.1M10.9 5.1h.01',
  shield: 'M8 1.8 13 3.7v4c0 3.2-2.1 5.4-5 6.5-2.9-1.1-5-3.3-5-6.5v-4zM5.8 8l1.6 1.6 2.9-3',
  trash: 'M2.8 4.2h10.4M6 4.2V2.6h4v1.6M4 4.2l.6 9.2h6.8l.6-9.2M6.6 6.8v4M9.4 6.8v4',
  out: 'M6.5 3h-4v10h10V9.5M9 2.5h4.5V7M13 3 7.5 8.5',
  filter: 'M2 3.5h12M4.5 8h7M6.7 12.5h2.6',
  dl: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.8 13.5h10.4',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  edit: 'M10.8 2.8l2.4 2.4L5.6 12.8l-3.1.7.7-3.1z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.4',
  inbox: 'M2.5 9 4.2 3h7.6l1.7 6v4h-11zM2.5 9h3.3l.8 1.6h2.8L10.2 9h3.3',
  cube: 'M8 1.9 13.3 5v6L8 14.1 2.7 11V5zM2.9 5.1 8 8l5.1-2.9M8 8v6',
  book: 'M3 2.8h6.6A2.4 2.4 0 0 1 12 5.2v8.3H5.2A2.2 2.2 0 0 1 3 11.3zM3 11.2A2.2 2.2 0 0 1 5.2 9H12',
  bolt: 'M8.8 1.8 3.4 9h4l-.6 5.2L12.6 7h-4z',
  globe:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2.2 8h11.6M8 2c3.6 3.8 3.6 8.2 0 12M8 2C4.4 5.8 4.4 10.2 8 14',
} as const

export type IconName = keyof typeof ICON_PATHS

/** An icon beside words; it says nothing to a screen reader. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg class={small ? 'i s' : 'i'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg class="logo" width="22" height="22" viewBox="0 0 26 26" aria-hidden="true">
      <path d="M4 22V6.5M22 22V6.5M2 6.5h22M10 6.5v8M16 6.5v8M7.5 20.5c1.8-1.6 3.6-1.6 5.5 0s3.7 1.6 5.5 0" />
    </svg>
  )
}
