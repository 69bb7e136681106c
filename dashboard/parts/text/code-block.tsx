import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { Highlighted } from './highlighted.tsx'

type Snippet = { name: string; text: string }

type Props = {
  snippets: readonly Snippet[]
  what: string
  /** The name of the one in view, where a page keeps it; else the block does. */
  chosen?: string
  onChoose?(name: string): void
  /** A word beside the button that copies. */
  aside?: ComponentChildren
  isProgram?: boolean
}

/** Code with a tab a language, and a button that copies it. */
export function CodeBlock({ snippets, what, aside, isProgram = false, ...props }: Props) {
  const id = useId()
  const [kept, setKept] = useState('')
  const name = props.chosen ?? kept
  const at = Math.max(
    0,
    snippets.findIndex((one) => one.name === name),
  )
  const shown = snippets[at]
  if (!shown) return null
  const choose = props.onChoose ?? setKept
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step && snippets[(at + step + snippets.length) % snippets.length]
    if (!next) return
    event.preventDefault()
    choose(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <div class="code">
      <div class="codehead">
        <div role="tablist" aria-label="Language" onKeyDown={onKeyDown}>
          {snippets.map((one) => (
            <button
              key={one.name}
              id={`${id}-${one.name}`}
              type="button"
              role="tab"
              aria-selected={one === shown}
              aria-controls={`${id}-panel`}
              tabIndex={one === shown ? 0 : -1}
              onClick={() => choose(one.name)}
            >
              {one.name}
            </button>
          ))}
        </div>
        <span class="grow" />
        {aside}
        <CopyButton class="ib sm" text={shown.text} what={what} />
      </div>
      <pre
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${shown.name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keys.
        tabIndex={0}
      >
        {isProgram ? <Highlighted text={shown.text} /> : shown.text}
      </pre>
    </div>
  )
}
