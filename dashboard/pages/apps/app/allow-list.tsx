import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { WireApp } from '../../../api/wire.ts'
import { Icon } from '../../../parts/icon.tsx'
import type { IconName } from '../../../parts/icon-paths.ts'
import { middleCut } from '../../../parts/text/format.ts'
import { addAllowed, removeAllowed } from './allow-changes.ts'

/** A contract is told by its ends; names and addresses are shown whole. */
const CONTRACT_ENDS = { head: 14, tail: 6 }

/** One of the lists, in words. */
export type ListWords = {
  name: keyof WireApp['allow']
  label: string
  /** One entry of it. */
  one: string
  icon: IconName
  placeholder: string
  hint: ComponentChildren
}

type Props = { app: WireApp; words: ListWords }

/** The entries of one list, each with its cross, and a line for the next one. */
export function AllowList({ app, words }: Props) {
  const { name, label, one } = words
  const [isAdding, setAdding] = useState(false)
  const adder = useRef<HTMLButtonElement>(null)
  const hintId = useId()
  const remove = (entry: string) => {
    adder.current?.focus()
    void removeAllowed(app, name, entry)
  }
  const close = () => {
    setAdding(false)
    // The button stands there again only once this is drawn.
    requestAnimationFrame(() => adder.current?.focus())
  }
  return (
    <fieldset class="field" aria-describedby={hintId}>
      <legend class="lab">
        <span class="row">
          <Icon name={words.icon} small />
          {label}
        </span>
      </legend>
      <div class="chips">
        {app.allow[name].map((entry) => (
          <span key={entry} class="chip" title={entry}>
            <span class="clip">
              {name === 'contracts' ? middleCut(entry, CONTRACT_ENDS) : entry}
            </span>
            <button type="button" aria-label={`Remove ${entry}`} onClick={() => remove(entry)}>
              <Icon name="x" small />
            </button>
          </span>
        ))}
        {!isAdding && (
          <button class="chip add" type="button" ref={adder} onClick={() => setAdding(true)}>
            <Icon name="plus" small />
            Add {one}
          </button>
        )}
      </div>
      {isAdding && <NewEntry app={app} words={words} onClose={close} />}
      <p class="hint" id={hintId}>
        {words.hint}
      </p>
    </fieldset>
  )
}

function NewEntry({ app, words, onClose }: Props & { onClose(): void }) {
  const { one, placeholder } = words
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const faultId = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
    if (entries.length === 0) return onClose()
    const refusal = await addAllowed(app, words.name, entries)
    setFault(refusal)
    if (refusal === '') setText('')
  }
  return (
    <form class="newentry" onSubmit={submit}>
      <input
        class="in mono"
        ref={(input) => {
          if (input && !input.dataset.met) {
            input.dataset.met = 'true'
            input.focus()
          }
        }}
        aria-label={`Add ${one}`}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={fault ? faultId : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
      />
      <button class="btn sm" type="submit">
        Add
      </button>
      <button class="btn ghost sm" type="button" onClick={onClose}>
        Done
      </button>
      {fault && (
        <span class="hint bad" id={faultId} role="alert">
          {fault}
        </span>
      )}
    </form>
  )
}
