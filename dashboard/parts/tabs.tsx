import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Tab<T> = { value: T; text: string; count?: string }

type TabListProps<T> = {
  /** Of the panel and the tabs, which name each other. */
  id: string
  label: string
  value: T
  tabs: readonly Tab<T>[]
  onChange(value: T): void
  class?: string
}

export function Tabs<T extends string>(
  props: Omit<TabListProps<T>, 'id' | 'class'> & { children: ComponentChildren },
) {
  const id = useId()
  return (
    <>
      <TabList {...props} id={id} class="tabs" />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${props.value}`}>
        {props.children}
      </div>
    </>
  )
}

export function TabList<T extends string>(props: TabListProps<T>) {
  const { id, tabs } = props
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const at = tabs.findIndex(({ value }) => value === props.value)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    props.onChange(next.value)
    document.getElementById(`${id}-${next.value}`)?.focus()
  }
  return (
    <div class={props.class} role="tablist" aria-label={props.label} onKeyDown={onKeyDown}>
      {tabs.map(({ value, text, count }) => (
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
  )
}
