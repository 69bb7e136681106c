import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export type MenuAction = {
  text: string
  icon: IconName
  /** The key that does the same without the menu. */
  keys?: string
  /** Something is lost by it: it stands apart, in red. */
  isDanger?: boolean
  run(): void
}

const WIDTH = 220
const HEIGHT_MAX = 230
const MARGIN = 8

/** Actions behind a button. The browser opens it, and closes it on Escape and a press beside it. */
export function Menu(props: { label: string; class?: string; actions: readonly MenuAction[] }) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) menu.current?.querySelector('button')?.focus()
  }, [isOpen])
  const run = (action: MenuAction) => {
    menu.current?.hidePopover()
    action.run()
  }
  return (
    <>
      <button
        type="button"
        class={props.class ?? 'ib'}
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popovertarget={id}
        onClick={(event) => placeBelow(event.currentTarget, menu.current)}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        tabIndex={-1}
        aria-label={props.label}
        popover="auto"
        onKeyDown={moveFocus}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen &&
          props.actions.map((action) => <MenuItem key={action.text} {...{ action, run }} />)}
      </div>
    </>
  )
}

function MenuItem({ action, run }: { action: MenuAction; run(action: MenuAction): void }) {
  return (
    <>
      {action.isDanger && <hr />}
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        class={action.isDanger ? 'bad' : ''}
        onClick={() => run(action)}
      >
        <Icon name={action.icon} />
        {action.text}
        {action.keys && <kbd>{action.keys}</kbd>}
      </button>
    </>
  )
}

function placeBelow(button: Element, menu: HTMLElement | null): void {
  const { right, bottom } = button.getBoundingClientRect()
  const top = Math.min(bottom + MARGIN / 2, innerHeight - HEIGHT_MAX - MARGIN)
  const left = Math.max(MARGIN, right - WIDTH)
  Object.assign(menu?.style ?? {}, { left: `${left}px`, top: `${Math.max(MARGIN, top)}px` })
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
