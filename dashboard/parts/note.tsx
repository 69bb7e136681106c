import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

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
export function Refusal(props: { class?: string; children: string }) {
  const { class: classes = 'note bad', children } = props
  if (!children) return null
  return (
    <p class={classes} role="alert">
      {children}
    </p>
  )
}

type BannerProps = {
  /** `bad`, and `gap` for room below it. */
  class?: string
  icon: IconName
  role: 'alert' | 'status'
  title: ComponentChildren
  acts?: ComponentChildren
  children: ComponentChildren
}

export function Banner(props: BannerProps) {
  return (
    <div class={`banner ${props.class ?? ''}`.trim()} role={props.role}>
      <Icon name={props.icon} />
      <div class="t">
        <b>{props.title}</b>
        <p>{props.children}</p>
      </div>
      {props.acts && <div class="acts">{props.acts}</div>}
    </div>
  )
}
