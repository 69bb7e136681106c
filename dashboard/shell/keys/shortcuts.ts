import { useLayoutEffect, useRef } from 'preact/hooks'

/** A key, or two in a row ("g o"); `mod+` is the command key or Ctrl. */
export type Shortcut = { keys: string; does: string; run(): unknown }

/** The second key of a pair is waited for so long. */
const PAIR_MS = 1200

/** A dialog or menu in front of the page has the keys. */
const IN_FRONT = 'dialog[open], :popover-open'

type Part = { current: readonly Shortcut[] }

const active = new Set<Part>()
let first: { key: string; atMs: number } | null = null

/** Has shortcuts for as long as a part is in view; the newest part wins. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const part = useRef(shortcuts)
  part.current = shortcuts
  // With the drawing, so that a key works as soon as there is something to see.
  useLayoutEffect(() => {
    active.add(part)
    return () => {
      active.delete(part)
    }
  }, [])
}

export function listShortcuts(): readonly Shortcut[] {
  return [...active].flatMap(({ current }) => current)
}

export function startShortcuts(): void {
  document.addEventListener('keydown', onKey)
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const mod = event.metaKey || event.ctrlKey
  if (!mod && (isTyping(event.target) || document.querySelector(IN_FRONT))) return
  if (event.altKey || isOfControl(event)) return
  const name = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const key = mod ? `mod+${name}` : name
  const nowMs = event.timeStamp
  const pair = first && nowMs - first.atMs < PAIR_MS ? `${first.key} ${key}` : null
  first = { key, atMs: nowMs }
  const all = [...active].reverse().flatMap(({ current }) => current)
  const found =
    all.find(({ keys }) => keys === pair) ?? all.find(({ keys }) => keys.toLowerCase() === key)
  if (!found) return
  event.preventDefault()
  first = null
  found.run()
}

/** Enter and Space press the button or follow the link that has the focus. */
function isOfControl({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' && key !== ' ') return false
  return target instanceof Element && target.closest('button, a[href], summary') !== null
}

function isTyping(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : null
  return element?.closest('input, textarea, select, [contenteditable], .query-editor') != null
}
