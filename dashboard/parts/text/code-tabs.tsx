import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

export type CodeTab = {
  name: string
  /** Said when it was copied. */
  what: string
  /** The whole text, however much of it is shown. */
  text: string
  children: ComponentChildren
}

/** Code behind tabs, with a button that copies the whole of what is shown. */
export function CodeTabs({ label, tabs }: { label: string; tabs: readonly CodeTab[] }) {
  const id = useId()
  const [name, setName] = useState(tabs[0]?.name)
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.name === name),
  )
  const shown = tabs[at]
  if (!shown) return null
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step && tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    setName(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <div class="code">
      <div class="codehead">
        <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map((tab, place) => (
            <button
              key={tab.name}
              id={`${id}-${tab.name}`}
              type="button"
              role="tab"
              aria-selected={place === at}
              aria-controls={`${id}-panel`}
              tabIndex={place === at ? 0 : -1}
              onClick={() => setName(tab.name)}
            >
              {tab.name}
            </button>
          ))}
        </div>
        <span class="grow" />
        <CopyButton class="ib sm" text={shown.text} what={shown.what} />
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown.name}`}>
        {shown.children}
      </div>
    </div>
  )
}
