import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'

/**
 * J and K or the arrows move the focus through the links of a table that have a `data-row`, one in
 * a row. The table is one stop of the Tab key: that row and what can be pressed in it.
 */
export function useRowFocus() {
  const list = useRef<HTMLTableElement>(null)
  const { shortcuts, reached, rove } = useMemo(() => walkRows(list), [])
  useShortcuts(shortcuts)
  useLayoutEffect(() => {
    const table = list.current
    rove()
    table?.addEventListener('focusin', rove)
    return () => table?.removeEventListener('focusin', rove)
  })
  // `reached` is the `data-row` of the row that was last in focus; null before any was.
  return { list, reached }
}

function walkRows(list: { current: HTMLElement | null }) {
  let last: HTMLElement | null = null
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]

  /** The row in focus, or the last one while the focus is elsewhere; keys outrun the drawing. */
  const current = (all: readonly HTMLElement[]) => {
    const inFocus = all.find((link) => rowOf(link).contains(document.activeElement))
    last = inFocus ?? all.find((link) => link === last) ?? null
    return last
  }
  const move = (step: number) => {
    const all = links()
    const link = current(all)
    const at = link === null ? -1 : all.indexOf(link)
    last = all[Math.max(0, Math.min(all.length - 1, at + step))] ?? null
    last?.focus()
  }
  const rove = () => {
    const all = links()
    const stop = current(all) ?? all[0]
    for (const link of all) {
      for (const control of rowOf(link).querySelectorAll<HTMLElement>('a, button')) {
        // The entries of a menu have their own keys.
        if (!control.closest('[popover]')) control.tabIndex = link === stop ? 0 : -1
      }
    }
  }
  const shortcuts = [
    { keys: 'j', does: 'Next row', run: () => move(1) },
    { keys: 'ArrowDown', does: '', run: () => move(1) },
    { keys: 'k', does: 'Previous row', run: () => move(-1) },
    { keys: 'ArrowUp', does: '', run: () => move(-1) },
    { keys: 'Enter', does: 'Open the row', run: () => current(links())?.click() },
  ]
  return { shortcuts, rove, reached: () => current(links())?.dataset.row ?? null }
}

function rowOf(link: HTMLElement): HTMLElement {
  return link.closest('tr') ?? link
}
