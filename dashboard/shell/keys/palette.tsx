import { useEffect, useState } from 'preact/hooks'
import { useVisitor } from '../../api/session.ts'
import { Icon } from '../../parts/icon.tsx'
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts'

let open: () => void = () => {}

export function openPalette(): void {
  open()
}

export function Palette() {
  const [isOpen, setOpen] = useState(false)
  const visitor = useVisitor()
  open = () => setOpen(true)
  if (!isOpen || visitor.kind !== 'signed-in') return null
  return <OpenPalette onClose={() => setOpen(false)} />
}

function OpenPalette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const groups = usePaletteEntries(text)
  const entries = groups.flatMap((group) => group.entries)
  useEffect(() => setAt(0), [text])
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((old) => Math.max(0, Math.min(entries.length - 1, old + step)))
    else if (event.key === 'Enter') run(entries[at])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      id="palette"
      aria-label="Command palette"
      ref={(dialog) => {
        if (dialog && !dialog.open) dialog.showModal()
      }}
      onClose={onClose}
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="q">
        <Icon name="find" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-results"
          aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
          aria-label="Search"
          placeholder="Jump to a page, app, webhook, block or delivery…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <kbd>esc</kbd>
      </div>
      <PaletteResults groups={groups} chosen={entries[at]} run={run} />
    </dialog>
  )
}

function PaletteResults(props: {
  groups: ReturnType<typeof usePaletteEntries>
  chosen: PaletteEntry | undefined
  run(entry: PaletteEntry): void
}) {
  let place = -1
  return (
    <div class="res" id="palette-results" role="listbox" aria-label="Results">
      {props.groups.map(({ name, entries }) => (
        // biome-ignore lint/a11y/useSemanticElements: options may be grouped in a list box.
        <div key={name} role="group" aria-label={name}>
          <p class="group-name">{name}</p>
          {entries.map((entry) => {
            place++
            return (
              <a
                key={entry.id}
                id={`palette-${place}`}
                href={entry.href ?? '#'}
                role="option"
                tabIndex={-1}
                aria-selected={entry === props.chosen}
                onClick={(event) => {
                  event.preventDefault()
                  props.run(entry)
                }}
              >
                <Icon name={entry.icon} />
                <span class="clip">{entry.text}</span>
                <small>{entry.hint}</small>
              </a>
            )
          })}
        </div>
      ))}
      {props.groups.length === 0 && <p class="empty slim quiet">Nothing is called that.</p>}
    </div>
  )
}
