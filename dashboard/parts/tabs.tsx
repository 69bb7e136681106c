import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Tab<T> = { value: T; text: string; count?: string }

/** Tabs with their panel; arrow keys go from one to the next. */
export function Tabs<T extends string>(props: {
  label: string
  value: T
  tabs: readonly Tab<T>[]
  onChange(value: T): void
  children: ComponentChildren
}) {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const at = props.tabs.findIndex(({ value }) => value === props.value)
    const next = props.tabs[(at + step + props.tabs.length) % props.tabs.length]
    if (!next) return
    event.preventDefault()
    props.onChange(next.value)
    document.getElementById(`${id}-${next.value}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={onKeyDown}>
        {props.tabs.map(({ value, text, count }) => (
          <button
            key={value}
            id={`${id}-${value}`}
            type="button"
            role="tab"
            aria-selected={value === props.value}
            aria-controls={`${id}-panel`}
            tabIndex={value === props.value ? 0 : -1}
            onClick={() => props.onChange(value)}
          >
            {text}
            {count !== undefined && <span class="n">{count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${props.value}`}>
        {props.children}
      </div>
    </>
  )
}
