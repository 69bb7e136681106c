import { endTurn, leavePlace, pickTurns, type Turn } from '../../src/courier/schedule/pick-turns.ts'
import { enlist, type Line, placeLine, type Schedule } from '../../src/courier/schedule/schedule.ts'
import type { CourierWebhook } from '../../src/tables/webhooks/courier-webhooks.ts'

/** A webhook of the schedule that has something new, and with `all` something to repeat. */
export function wanting(
  schedule: Schedule,
  id: string,
  url: string,
  differing: Partial<CourierWebhook> = {},
  all = false,
): Line {
  const webhook: CourierWebhook = {
    id,
    teamId: 'team_a',
    appId: null,
    network: 'ETH_MAINNET',
    url,
    ordered: false,
    state: 'active',
    key: { sealed: '', previousSealed: null, previousUntilMs: null },
    ...differing,
  }
  const line = placeLine(schedule, { webhook, keys: ['whsec_a'], previousKeyUntilMs: 0 })
  if (!line) throw new Error('no room')
  line.wants.first = true
  if (all) line.wants.retry = true
  if (webhook.state === 'paused') line.wants.errors = true
  enlist(schedule, line)
  return line
}

/** As after many successes. */
export function grow(line: Line, limit: number): void {
  line.host.health.limit = limit
  line.host.answers = true
}

/** Gives turns until there are none, each with all its places used. */
export function takeAll(schedule: Schedule): Turn[] {
  const all: Turn[] = []
  for (let turns = pickTurns(schedule, 0); turns.length > 0; turns = pickTurns(schedule, 0)) {
    all.push(...turns)
    for (const turn of turns) endTurn(schedule, turn, turn.places, true)
  }
  return all
}

export function sent(schedule: Schedule, { line, host, lane, doubtful }: Turn): void {
  leavePlace(schedule, { line, host, bytes: 0, isRetry: lane === 'retry', doubtful })
}
