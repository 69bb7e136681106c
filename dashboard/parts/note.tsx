import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

type Props = {
  tone?: 'ok' | 'warn' | 'bad'
  icon: IconName
  class?: string
  role?: 'alert' | 'status'
  children: ComponentChildren
}

export function Note({ tone, icon, class: more, role, children }: Props) {
  return (
    <div class={['note', tone, more].filter(Boolean).join(' ')} role={role}>
      <Icon name={icon} />
      <span>{children}</span>
    </div>
  )
}

/** Why something was refused; nothing where it was not. */
export function Refusal({ children }: { children: string }) {
  if (!children) return null
  return (
    <p class="note bad" role="alert">
      {children}
    </p>
  )
}
