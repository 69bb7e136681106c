import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Props = {
  title: ComponentChildren
  /** A few quiet words beside the title. */
  about?: ComponentChildren
  /** What else stands beside the title. */
  beside?: ComponentChildren
  /** What can be done here. */
  acts?: ComponentChildren
  /** A line below the title. */
  isLined?: boolean
  /** The classes of a box around the children; none without. */
  body?: string
  foot?: ComponentChildren
  footIcon?: IconName
  label?: string
  id?: string
  class?: string
  children: ComponentChildren
}

export function Card(props: Props) {
  const { title, about, beside, acts, isLined, body, foot, footIcon, children } = props
  return (
    <section class={`card ${props.class ?? ''}`.trim()} id={props.id} aria-label={props.label}>
      <div class={isLined ? 'ch line' : 'ch'}>
        <h2>{title}</h2>
        {about && <span class="quiet small">{about}</span>}
        {beside}
        {acts && <span class="acts">{acts}</span>}
      </div>
      {body ? <div class={body}>{children}</div> : children}
      {foot && (
        <div class="cf">
          {footIcon && <Icon name={footIcon} small />}
          <span>{foot}</span>
        </div>
      )}
    </section>
  )
}
