import { useEffect, useState } from 'preact/hooks'

/** A value that is the same for all parts of the page; those that use it follow its changes. */
export type Watched<T> = { value: T; watchers: Set<(value: T) => void> }

export function watched<T>(value: T): Watched<T> {
  return { value, watchers: new Set() }
}

export function change<T>(of: Watched<T>, value: T): void {
  of.value = value
  for (const show of of.watchers) show(value)
}

export function useWatched<T>(of: Watched<T>): T {
  const [shown, show] = useState(of.value)
  useEffect(() => {
    show(of.value)
    of.watchers.add(show)
    return () => {
      of.watchers.delete(show)
    }
  }, [of])
  return shown
}
