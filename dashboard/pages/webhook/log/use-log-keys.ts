import { useEffect, useRef, useState } from 'preact/hooks'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { ROW_HEIGHT } from './log-columns.tsx'

type Options = {
  log: DeliveryLog
  body: { current: HTMLElement | null }
  openId: string | null
  onOpen(id: string, how?: { isStep: boolean }): void
}

/** Beside the edges of the window, which the bars of the page cover. */
const EDGE_PX = { top: 100, bottom: 100 }

/** J and K or the arrows go through the rows; with a delivery open, they open the next. */
export function useLogKeys({ log, body, openId, onOpen }: Options) {
  const [tabStop, setTabStop] = useState<string | null>(null)
  const [wanted, want] = useState<string | null>(null)
  // Keys may come faster than the list is drawn.
  const reached = useRef<string | null>(null)
  useEffect(() => {
    if (openId !== null) reached.current = openId
  }, [openId])
  const step = (by: number) => {
    const at = Math.max(0, log.placeOf(reached.current ?? '') + by)
    const next = log.rowAt(at)
    if (!next) return
    reached.current = next.id
    setTabStop(next.id)
    bringIntoView(body.current, at)
    if (openId !== null) onOpen(next.id, { isStep: true })
    if (openId === null || body.current?.contains(document.activeElement)) want(next.id)
  }
  useEffect(() => {
    if (wanted === null) return
    // It may be drawn only after the window has moved there.
    const frame = requestAnimationFrame(() => {
      const row = body.current?.querySelector<HTMLElement>(`[data-delivery="${wanted}"]`)
      row?.focus({ preventScroll: true })
      want((later) => (later === wanted ? null : later))
    })
    return () => cancelAnimationFrame(frame)
  }, [wanted, body])
  useShortcuts([
    { keys: 'j', does: 'Next delivery', run: () => step(1) },
    { keys: 'k', does: 'Previous delivery', run: () => step(-1) },
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as Element).closest<HTMLElement>('tr[data-delivery]')
    const id = row?.dataset.delivery
    if (!id || row !== event.target) return
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by) {
      reached.current = id
      step(by)
    } else if (event.key === 'Enter') onOpen(id)
    else return
    event.preventDefault()
  }
  return { tabStop: openId ?? tabStop, onKeyDown }
}

function bringIntoView(body: HTMLElement | null, at: number): void {
  if (!body) return
  const top = body.getBoundingClientRect().top + at * ROW_HEIGHT
  if (top < EDGE_PX.top) scrollBy(0, top - EDGE_PX.top)
  const below = top + ROW_HEIGHT - (innerHeight - EDGE_PX.bottom)
  if (below > 0) scrollBy(0, below)
}
