import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { Icon } from '../icon.tsx'

type Props = {
  label: string
  /** Its label, where nothing else is said. */
  placeholder?: string
  /** What `/`, which leads to it, is for. */
  does?: string
  icon?: 'filter' | 'find'
  isIconSmall?: boolean
  class?: string
  value: string
  onChange(value: string): void
  children?: ComponentChildren
}

export function SearchField(props: Props) {
  const { label, placeholder = label, does = 'Filter the list', icon = 'filter' } = props
  const input = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', does, run: () => input.current?.focus() }])
  return (
    <div class={`affix ${props.class ?? 'w240'}`}>
      <Icon name={icon} small={props.isIconSmall ?? false} />
      <input
        ref={input}
        class="in"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={200}
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      {props.children}
    </div>
  )
}
