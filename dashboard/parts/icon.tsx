import { ICON_PATHS, type IconName } from './icon-paths.ts'

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
