import { Button } from '../../../parts/button.tsx'
import { Bar } from '../../../parts/charts/bar.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { percent as percentText, whole } from '../../../parts/text/format.ts'
import { cancelReplay, progressOf, useReplays } from './use-replays.ts'

export function RunningReplay({ webhookId }: { webhookId: string }) {
  const replay = useReplays(webhookId)?.find(({ state }) => state === 'running')
  if (!replay) return null
  const { percent } = progressOf(replay)
  const range = `${whole(replay.from_block)} to ${whole(replay.to_block)}`
  return (
    <div class="cf">
      <Icon name="again" />
      <span>Replaying {range}</span>
      <span class="rbar">
        <Bar thin percent={percent} label={`${percent} % done`} />
      </span>
      <b>{percentText(percent)}</b>
      <Button class="sm ghost" onClick={() => void cancelReplay(replay)}>
        Cancel
      </Button>
    </div>
  )
}
