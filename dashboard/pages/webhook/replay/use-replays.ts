import type { Replay } from '@headgate/client'
import { callApi } from '../../../api/call-api.ts'
import { useLive } from '../../../api/live.ts'
import { patchAnswers, useCall } from '../../../api/use-call.ts'
import { whole } from '../../../parts/text/format.ts'
import { attempt, say } from '../../../shell/toasts.tsx'

/** As many as the service lists. */
const LISTED_MAX = 100

/** The replays of a webhook, newest first; null before they are known. */
export function useReplays(webhookId: string): readonly Replay[] | null {
  const { data } = useCall('listReplays')
  useLive('replay', noteReplay)
  return data?.data.filter(({ webhook_id }) => webhook_id === webhookId) ?? null
}

export function noteReplay(replay: Replay): void {
  patchAnswers('listReplays', ({ data }) => {
    const isKnown = data.some(({ id }) => id === replay.id)
    const known = data.map((one) => (one.id === replay.id ? replay : one))
    return { data: isKnown ? known : [replay, ...data].slice(0, LISTED_MAX) }
  })
}

export function cancelReplay({ id }: Replay): Promise<void> {
  return attempt(async () => {
    const { data } = await callApi('cancelReplay', { parameters: { id } })
    noteReplay(data)
    say(`Replay cancelled before block ${whole(data.next_block)}`)
  })
}

export function progressOf(replay: Replay): { done: number; blocks: number; percent: number } {
  const blocks = replay.to_block - replay.from_block + 1
  const done = replay.next_block - replay.from_block
  return { done, blocks, percent: Math.floor((done * 100) / blocks) }
}
