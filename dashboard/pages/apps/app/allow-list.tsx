import type { App } from '@headgate/client'
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { focusOnce } from '../../../parts/forms/field.tsx'
import { useSubmit } from '../../../parts/forms/use-submit.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { middleCut } from '../../../parts/text/format.ts'
import { changeAtOnce } from '../../../shell/change-at-once.ts'
import { say, sayRefused } from '../../../shell/toasts.tsx'
import { sendChange, showApp } from '../app-changes.ts'

/** A contract is told by its ends; names and addresses are shown whole. */
const CONTRACT_ENDS = { head: 14, tail: 6 }

export type ListWords = {
  name: ListName
  label: string
  one: string
  many: string
  icon: IconName
  placeholder: string
  hint: ComponentChildren
}

type Props = { app: App; words: ListWords }

export function AllowList({ app, words }: Props) {
  const { name, label, one } = words
  const [isAdding, setAdding] = useState(false)
  const adder = useRef<HTMLButtonElement>(null)
  const hintId = useId()
  const remove = (entry: string) => {
    adder.current?.focus()
    void removeAllowed(app, words, entry)
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
  const faultId = useId()
  const { fault: said, submit } = useSubmit(async () => {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
    if (entries.length === 0) return onClose()
    await addAllowed(app, words, entries)
    setText('')
  })
  // The message names the entry by its place in the list, and here it stands in the field.
  const fault = said.replace(/^allow\.\w+\[\d+\] must/, 'It must')
  return (
    <form class="newentry" onSubmit={submit}>
      <input
        class="in mono"
        ref={focusOnce}
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
      <Button class="sm" type="submit">
        Add
      </Button>
      <Button class="ghost sm" onClick={onClose}>
        Done
      </Button>
      {fault && (
        <span class="hint bad" id={faultId} role="alert">
          {fault}
        </span>
      )}
    </form>
  )
}

type ListName = keyof App['allow']

/** Adds entries to a list; throws the refusal, for the form to say. */
async function addAllowed(
  app: App,
  { name, many }: ListWords,
  entries: readonly string[],
): Promise<void> {
  const before = app.allow[name]
  const added = entries.filter((entry) => !before.includes(entry))
  if (added.length === 0) return
  await put(app, name, [...before, ...added])
  const what = added.length === 1 ? added.join() : `${added.length} ${many}`
  say(`Allowed ${what} for ${app.name}`, () => void put(app, name, before).catch(sayRefused))
}

/** Takes an entry off a list; it can be taken back. */
function removeAllowed(app: App, { name, many }: ListWords, entry: string): Promise<void> {
  const from = app.allow[name]
  const to = from.filter((one) => one !== entry)
  const left = to.length === 0 ? `. All ${many} are allowed now` : ''
  return changeAtOnce({
    from,
    to,
    show: (value) => showApp({ ...app, allow: { ...app.allow, [name]: value } }),
    send: (value) => put(app, name, value),
    said: `Removed ${entry} from ${app.name}${left}`,
  })
}

function put(app: App, name: ListName, value: readonly string[]): Promise<void> {
  return sendChange(app.id, { allow: { [name]: value } })
}
