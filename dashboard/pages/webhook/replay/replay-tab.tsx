import type { Webhook } from '@headgate/client'
import { Card } from '../../../parts/card.tsx'
import { Empty, SkeletonRows } from '../../../parts/empty.tsx'
import { ReplayForm } from './replay-form.tsx'
import { ReplayLine } from './replay-line.tsx'
import { useReplays } from './use-replays.ts'

export function ReplayTab({ webhook }: { webhook: Webhook }) {
  const replays = useReplays(webhook.id)
  const isRunning = replays?.some(({ state }) => state === 'running') ?? false
  return (
    <div class="grid side">
      <Card title="Replays" isLined label="Replays">
        {replays === null && <SkeletonRows rows={3} />}
        {replays?.length === 0 && (
          <Empty icon="again" title="No replays yet">
            A replay runs the query on blocks of the past and delivers what it finds, beside the new
            ones.
          </Empty>
        )}
        {replays !== null && replays.length > 0 && (
          <ul class="lines">
            {replays.map((replay) => (
              <ReplayLine key={replay.id} replay={replay} />
            ))}
          </ul>
        )}
      </Card>
      <Card title="Replay a range" label="Replay a range">
        <ReplayForm webhook={webhook} isRunning={isRunning} />
      </Card>
    </div>
  )
}
