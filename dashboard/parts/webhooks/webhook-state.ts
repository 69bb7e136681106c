import type { Webhook, WebhookStats } from '@headgate/client'
import { whole } from '../text/format.ts'

export type WebhookState = {
  tone: 'ok' | 'warn' | 'bad' | 'ring'
  word: string
  reason: string
}

type Reason = NonNullable<Webhook['deactivation_reason']>

const REASONS: Readonly<Record<Reason, { tone: 'bad' | 'ring'; text: string }>> = {
  MANUAL: { tone: 'ring', text: 'By hand' },
  MONTHLY_CAPACITY_EXCEEDED: { tone: 'bad', text: 'The month’s capacity is used up' },
  DESTINATION_GONE: { tone: 'bad', text: 'Destination gone (410)' },
  BACKLOG_FULL: { tone: 'bad', text: 'More is undelivered than the tier allows' },
}

export function webhookState(webhook: Webhook, stats?: WebhookStats): WebhookState {
  const { deactivation_reason: why } = webhook
  if (!webhook.is_active) {
    const { tone, text } = REASONS[why ?? 'MANUAL']
    return { tone, word: 'Paused', reason: text }
  }
  const tried = stats?.recent.findLast(({ attempts_made }) => attempts_made > 0)
  if (!stats || !tried || tried.status === 'delivered' || tried.status === 'cancelled') {
    return { tone: 'ok', word: 'Active', reason: '' }
  }
  const answer = tried.status_code === null ? 'No answer' : `Answers ${tried.status_code}`
  const { waiting, failed } = stats.last_24_hours
  if (tried.status === 'waiting') {
    const reason = `${answer}; ${whole(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`
    return { tone: 'warn', word: 'Active, retrying', reason }
  }
  return { tone: 'bad', word: 'Active, failing', reason: `${answer}; ${whole(failed)} given up` }
}

export function nameOf({ name, id }: { name: string; id: string }): string {
  return name || id
}
