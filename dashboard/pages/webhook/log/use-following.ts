import { useEffect, useState } from 'preact/hooks'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import type { DeliveryLog } from './delivery-log.ts'

/** Whether new rows come in at the top, or gather because somebody reads. */
export type Following = {
  isHeldByHand: boolean
  isScrolled: boolean
  toggle(): void
  onScrolled(isScrolled: boolean): void
  showNewest(): void
}

/** Rows move only while the reader is at the top and has not told them to hold still. */
export function useFollowing(log: DeliveryLog): Following {
  const [isHeldByHand, setHeld] = useState(false)
  const [isScrolled, onScrolled] = useState(false)
  useEffect(() => log.hold(isHeldByHand || isScrolled), [log, isHeldByHand, isScrolled])
  const toggle = () => setHeld((old) => !old)
  useShortcuts([{ keys: 'Space', does: 'Hold the list still', run: toggle }])
  const showNewest = () => {
    setHeld(false)
    scrollTo(0, 0)
  }
  return { isHeldByHand, isScrolled, toggle, onScrolled, showNewest }
}
