import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A part whose code is loaded when it is first wanted; null until it is there. */
export function useLazyPart<Props>(
  isWanted: boolean,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> | null {
  const [loaded, setLoaded] = useState<{ part: ComponentType<Props> } | null>(null)
  useEffect(() => {
    if (isWanted && !loaded) void load().then((part) => setLoaded({ part }))
  }, [isWanted, loaded])
  return isWanted ? (loaded?.part ?? null) : null
}
