import { useEffect, useState } from 'preact/hooks'
import { useLiveState } from '../../../api/live.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { whole } from '../../../parts/text/format.ts'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import type { DeliveryLog } from './delivery-log.ts'

/** Rows move only while the reader is at the top and has not told them to hold still. */
export function useFollowing(log: DeliveryLog) {
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

type MarkProps = { isHeldByHand: boolean; isScrolled: boolean; toggle(): void }

export function FollowMark({ isHeldByHand, isScrolled, toggle }: MarkProps) {
  const isLive = useLiveState() === 'live'
  const isFollowing = isLive && !isHeldByHand && !isScrolled
  const word = isFollowing ? 'Following' : isLive ? 'Held' : 'Not live'
  return (
    <>
      <span class="live">
        <i class={isFollowing ? 'pulse' : 'dot'} />
        <span class="quiet followword">{word}</span>
      </span>
      <IconButton
        class="sm"
        icon={isHeldByHand ? 'play' : 'pause'}
        label={isHeldByHand ? 'Follow again' : 'Hold the list still'}
        aria-pressed={isHeldByHand}
        title={isHeldByHand ? 'Follow again  Space' : 'Hold still  Space'}
        onClick={toggle}
      />
    </>
  )
}

export function NewerButton({ log, onShow }: { log: DeliveryLog; onShow(): void }) {
  const { newer, isMoreNewer } = log.state()
  if (newer === 0 && !isMoreNewer) return null
  const text = newer === 0 ? 'Newer ones' : `${whole(newer)}${isMoreNewer ? '+' : ''} newer`
  return (
    <div class="newerbar">
      <Button class="sm" onClick={onShow}>
        {text}
      </Button>
    </div>
  )
}
