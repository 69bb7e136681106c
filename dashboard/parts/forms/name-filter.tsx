import { useRef } from 'preact/hooks'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { Icon } from '../icon.tsx'

/** Narrows a list down by name; `/` leads to it. */
export function NameFilter(props: { label: string; value: string; onChange(value: string): void }) {
  const input = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', does: 'Filter the list', run: () => input.current?.focus() }])
  return (
    <span class="affix w240">
      <Icon name="filter" />
      <input
        ref={input}
        class="in"
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </span>
  )
}
