import { say, sayRefused } from './toasts.tsx'

type Change<T> = {
  from: T
  to: T
  /** Shows a value before the service has confirmed it. */
  show(value: T): void
  send(value: T): Promise<unknown>
  said: string
}

/** Acts at once, with a way back for 8 s; a refusal puts it back and says why. */
export async function changeAtOnce<T>(change: Change<T>): Promise<void> {
  const isDone = await put(change, change.to, change.from)
  if (isDone) say(change.said, () => void put(change, change.from, change.to))
}

async function put<T>({ show, send }: Change<T>, next: T, before: T): Promise<boolean> {
  show(next)
  try {
    await send(next)
    return true
  } catch (thrown) {
    show(before)
    sayRefused(thrown)
    return false
  }
}
