import { messageOf } from '../api/call-api.ts'
import { change, useWatched, watched } from '../api/watched.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

type Toast = { id: number; text: string; isBad: boolean; undo: (() => void) | null }

const SHOWN_MS = 3000
const BAD_MS = 8000
const UNDO_MS = 8000
const SHOWN_MAX = 4

let count = 0
const toasts = watched<readonly Toast[]>([])

/** Says in a line what was done; with `undo`, it can be taken back for 8 s. */
export function say(text: string, undo: (() => void) | null = null): void {
  put({ id: ++count, text, isBad: false, undo }, undo ? UNDO_MS : SHOWN_MS)
}

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

export function undoLast(): void {
  const last = toasts.value.findLast(({ undo }) => undo !== null)
  if (last) takeBack(last)
}

export function Toasts() {
  return (
    <div id="toasts" role="status" aria-live="polite">
      {useWatched(toasts).map((toast) => (
        <div class={toast.isBad ? 'toast bad' : 'toast'} key={toast.id}>
          <Icon name={toast.isBad ? 'warn' : 'check'} />
          <span>{toast.text}</span>
          {toast.undo && (
            <Button class="sm" onClick={() => takeBack(toast)}>
              Undo
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

function takeBack({ id, undo }: Toast): void {
  take(id)
  undo?.()
}

function put(toast: Toast, forMs: number): void {
  change(toasts, [...toasts.value, toast].slice(-SHOWN_MAX))
  setTimeout(() => take(toast.id), forMs)
}

function take(id: number): void {
  const left = toasts.value.filter((toast) => toast.id !== id)
  change(toasts, left)
}
