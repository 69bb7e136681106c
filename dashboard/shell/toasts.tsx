import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../api/api-error.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

type Toast = { id: number; text: string; isBad: boolean; undo: (() => void) | null }

const SHOWN_MS = 3000
const BAD_MS = 8000
const UNDO_MS = 8000
const SHOWN_MAX = 4

let count = 0
let toasts: readonly Toast[] = []
const watchers = new Set<(all: readonly Toast[]) => void>()

/** Says in a line what was done; with `undo`, it can be taken back for 8 s. */
export function say(text: string, undo: (() => void) | null = null): void {
  put({ id: ++count, text, isBad: false, undo }, undo ? UNDO_MS : SHOWN_MS)
}

/** Says why something was not done. */
export function sayRefused(thrown: unknown): void {
  put({ id: ++count, text: messageOf(thrown), isBad: true, undo: null }, BAD_MS)
}

/** Does something, and says why where it is refused. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    sayRefused(thrown)
  }
}

/** Takes the newest action back that still can be. */
export function undoLast(): void {
  const last = toasts.findLast(({ undo }) => undo !== null)
  if (!last) return
  take(last.id)
  last.undo?.()
}

export function Toasts() {
  const [shown, show] = useState(toasts)
  useEffect(() => {
    watchers.add(show)
    return () => {
      watchers.delete(show)
    }
  }, [])
  return (
    <div id="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad, undo }) => (
        <div class={isBad ? 'toast bad' : 'toast'} key={id}>
          <Icon name={isBad ? 'warn' : 'check'} />
          <span>{text}</span>
          {undo && (
            <Button class="sm" onClick={() => takeBack(id, undo)}>
              Undo
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

function takeBack(id: number, undo: () => void): void {
  take(id)
  undo()
}

function put(toast: Toast, forMs: number): void {
  change([...toasts, toast].slice(-SHOWN_MAX))
  setTimeout(() => take(toast.id), forMs)
}

function take(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

function change(next: readonly Toast[]): void {
  toasts = next
  for (const show of watchers) show(next)
}
