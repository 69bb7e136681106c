import { useLiveState } from '../../../api/live.ts'
import { Icon } from '../../../parts/icon.tsx'
import { whole } from '../../../parts/text/format.ts'
import type { LogState } from './delivery-log.ts'
import type { Following } from './use-following.ts'

/** Says whether new rows come in by themselves, and holds them still on request. */
export function FollowMark({ following }: { following: Following }) {
  const { isHeldByHand, isScrolled, toggle } = following
  const isLive = useLiveState() === 'live'
  const isFollowing = isLive && !isHeldByHand && !isScrolled
  const word = isFollowing ? 'Following' : isLive ? 'Held' : 'Not live'
  return (
    <>
      <span class="live">
        <i class={isFollowing ? 'pulse' : 'dot'} />
        <span class="quiet followword">{word}</span>
      </span>
      <button
        type="button"
        class="ib sm"
        aria-pressed={isHeldByHand}
        aria-label={isHeldByHand ? 'Follow again' : 'Hold the list still'}
        title={isHeldByHand ? 'Follow again  Space' : 'Hold still  Space'}
        onClick={toggle}
      >
        <Icon name={isHeldByHand ? 'play' : 'pause'} small />
      </button>
    </>
  )
}

/** Stays in view above the rows that are read. */
export function NewerButton({ state, onShow }: { state: LogState; onShow(): void }) {
  const { newer, isMoreNewer } = state
  if (newer === 0 && !isMoreNewer) return null
  const text = newer === 0 ? 'Newer ones' : `${whole(newer)}${isMoreNewer ? '+' : ''} newer`
  return (
    <div class="newerbar">
      <button type="button" class="btn sm" onClick={onShow}>
        {text}
      </button>
    </div>
  )
}
