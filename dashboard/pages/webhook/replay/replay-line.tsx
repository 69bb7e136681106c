import type { Replay } from '@headgate/client'
import { Button } from '../../../parts/button.tsx'
import { Bar } from '../../../parts/charts/bar.tsx'
import { Tag } from '../../../parts/state.tsx'
import { plural, whole } from '../../../parts/text/format.ts'
import { lengthText, TimeAgo } from '../../../parts/text/time-ago.tsx'
import { cancelReplay, progressOf } from './use-replays.ts'

const TONES = { running: 'info', done: 'ok', cancelled: 'out', failed: 'bad' } as const

export function ReplayLine({ replay }: { replay: Replay }) {
  const { state, delivered, skipped, error } = replay
  const { done, blocks, percent } = progressOf(replay)
  const isRunning = state === 'running'
  const outcome = `${whole(delivered)} delivered, ${whole(skipped)} empty and skipped`
  return (
    <li class="atop">
      <span class="t">
        <span>
          {whole(replay.from_block)} to {whole(replay.to_block)}{' '}
          <Tag tone={TONES[state]}>{state}</Tag>
        </span>
        <span class="quiet">
          {done === blocks
            ? plural(blocks, 'block')
            : `${whole(done)} of ${plural(blocks, 'block')}`}{' '}
          · {outcome}
          {isRunning ? leftText(replay) : ' · '}
          {!isRunning && <TimeAgo at={replay.time_updated} />}
        </span>
        {error !== null && <span class={isRunning ? 'warn' : 'bad'}>{error}</span>}
        {isRunning && (
          <span class="mtb">
            <Bar percent={percent} label={`${percent} % done`} />
          </span>
        )}
      </span>
      {isRunning && (
        <Button class="sm" onClick={() => void cancelReplay(replay)}>
          Cancel
        </Button>
      )}
    </li>
  )
}

/** At the pace so far. */
function leftText(replay: Replay): string {
  const { done, blocks } = progressOf(replay)
  const tookMs = replay.time_updated - replay.time_created
  if (done === 0 || tookMs <= 0) return ''
  return ` · about ${lengthText((tookMs / done) * (blocks - done))} left`
}
