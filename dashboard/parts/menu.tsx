import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

export type MenuAction = {
  text: string
  icon: IconName
  /** The key that does the same without the menu. */
  keys?: string
  /** Something is lost by it: it stands apart, in red. */
  isDanger?: boolean
  run(): void
}

type Place = { left: number; top: number }

const WIDTH = 220
const HEIGHT_MAX = 230
const MARGIN = 8

/** A press on the button closes an open menu before the button hears of it. */
const CLOSING_MS = 250

/** Actions behind a button. The browser closes it on Escape and on a press beside it. */
export function Menu(props: {
  label: string
  class?: string
  actions: readonly MenuAction[]
  children?: ComponentChildren
}) {
  const button = useRef<HTMLButtonElement>(null)
  const closedAt = useRef(Number.NEGATIVE_INFINITY)
  const [place, setPlace] = useState<Place | null>(null)
  const open = (event: Event) => {
    event.stopPropagation()
    if (event.timeStamp - closedAt.current > CLOSING_MS) setPlace(placeBelow(button.current))
  }
  const close = (event: Event) => {
    closedAt.current = event.timeStamp
    setPlace(null)
  }
  const run = (action: MenuAction, event: Event) => {
    event.stopPropagation()
    setPlace(null)
    button.current?.focus()
    action.run()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={props.class ?? 'ib'}
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={place !== null}
        onClick={open}
      >
        {props.children ?? <Icon name="more" />}
      </button>
      {place && (
        <OpenMenu label={props.label} place={place} onClosed={close}>
          <MenuActions actions={props.actions} run={run} />
        </OpenMenu>
      )}
    </>
  )
}

function OpenMenu(props: {
  label: string
  place: Place
  onClosed(event: Event): void
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    ref.current?.showPopover()
    ref.current?.querySelector('button')?.focus()
  }, [])
  const { left, top } = props.place
  return (
    <div
      ref={ref}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={props.label}
      popover="auto"
      style={{ left: `${left}px`, top: `${top}px` }}
      onKeyDown={moveFocus}
      onToggle={(event) => event.newState === 'closed' && props.onClosed(event)}
    >
      {props.children}
    </div>
  )
}

function MenuActions(props: {
  actions: readonly MenuAction[]
  run(action: MenuAction, event: Event): void
}) {
  return (
    <>
      {props.actions.map((action) => [
        action.isDanger && <hr key={`${action.text} line`} />,
        <button
          key={action.text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={action.isDanger ? 'bad' : ''}
          onClick={(event) => props.run(action, event)}
        >
          <Icon name={action.icon} />
          {action.text}
          {action.keys && <kbd>{action.keys}</kbd>}
        </button>,
      ])}
    </>
  )
}

/** Below the button, its right edges aligned, and never beyond the window. */
function placeBelow(button: Element | null): Place {
  const { right = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {}
  const top = Math.min(bottom + MARGIN / 2, innerHeight - HEIGHT_MAX - MARGIN)
  return { left: Math.max(MARGIN, right - WIDTH), top: Math.max(MARGIN, top) }
}

function moveFocus(event: KeyboardEvent): void {
  event.stopPropagation()
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const items = [...(event.currentTarget as Element).querySelectorAll('button')]
  const at = items.indexOf(document.activeElement as HTMLButtonElement)
  items[(at + step + items.length) % items.length]?.focus()
}
