import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Common = {
  /** `primary`, `ghost` or `danger`, and `sm` for a small one. */
  class?: string
  title?: string | undefined
  disabled?: boolean
  'aria-label'?: string
  'aria-pressed'?: boolean
  'aria-disabled'?: boolean
  onClick?(): unknown
}

type Props = Common & {
  icon?: IconName
  /** Where it leads, for a link that looks like a button. */
  href?: string
  type?: 'submit'
  form?: string
  children: ComponentChildren
}

export function Button({ class: more = '', icon, href, children, ...rest }: Props) {
  const classes = `btn ${more}`.trim()
  const inside = (
    <>
      {icon && <Icon name={icon} small={isSmall(more)} />}
      {children}
    </>
  )
  if (href !== undefined) {
    return (
      <a class={classes} href={href}>
        {inside}
      </a>
    )
  }
  return (
    <button type="button" {...rest} class={classes}>
      {inside}
    </button>
  )
}

type IconProps = Common & { icon: IconName; label: string }

export function IconButton({ class: more = '', icon, label, ...rest }: IconProps) {
  return (
    <button type="button" {...rest} class={`ib ${more}`.trim()} aria-label={label}>
      <Icon name={icon} small={isSmall(more)} />
    </button>
  )
}

function isSmall(classes: string): boolean {
  return classes.split(' ').includes('sm')
}
