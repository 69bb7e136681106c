import { monthOf } from '../../../../src/core/billing/plan.ts'
import type { Life } from '../../process-life.ts'
import { type BookedRow, type Move, monthKey } from '../book.ts'
import { complain, type DeliveryRun, OFFICE, wallOf } from '../delivery-run.ts'
import type { Change, WebhookRow } from '../journal-changes.ts'

/** Where teams are sent that have used up what they may. */
export const PUBLIC_URL = 'https://headgate.example'

/** What a webhook is told of a pause by us, to the letter, by its reason. */
export const ERROR_TEXTS: Readonly<Record<string, string>> = {
  MONTHLY_CAPACITY_EXCEEDED:
    'Monthly capacity limit exceeded. Visit https://headgate.example/settings/billing to ' +
    'upgrade your scaling policy for continued service.',
  BACKLOG_FULL:
    'Backlog limit exceeded: more results are undelivered than your plan allows. Unpause the ' +
    'webhook once its destination accepts deliveries, or visit ' +
    'https://headgate.example/settings/billing to upgrade.',
}

/** A month that has just ended may still be in somebody's mind. */
const MONTH_TURN_MS = 60_000

/** So many times the limit nobody gets above it. */
const FAR_FACTOR = 2

/** When we pause a team, all its active webhooks are, each with one error, new or sent anew. */
export function judgePauses(
  run: DeliveryRun,
  life: Life,
  changes: readonly Change[],
  moves: readonly Move[],
): void {
  const errors = new Map<string, string | null>()
  for (const { old, now } of moves) {
    if (!old && now.kind === 'error') errors.set(now.webhook_id, now.error)
  }
  const paused = pausedIn(changes)
  for (const [id, error] of errors) {
    // One that was to be made active may stay paused for the same reason.
    const reason = run.book.webhooks.get(id)?.row.reason ?? ''
    if (error !== ERROR_TEXTS[reason])
      complain(run, `${id}, paused for ${reason}, is told ${error}`)
  }
  for (const row of paused.values()) {
    const isAnew = moves.some(({ old, now }) => old && isSentAnew(old, now) && tellsOf(now, row))
    const fault = pauseFault(run, life, row, isAnew || errors.has(row.id))
    if (fault) complain(run, `${life.name} pauses ${row.id} for ${row.reason}: ${fault}`)
  }
}

/** Webhooks that are paused, or not made active, for what their team has used up. */
function pausedIn(changes: readonly Change[]): Map<string, WebhookRow> {
  const paused = new Map<string, WebhookRow>()
  for (const { table, old, now } of changes) {
    if (table !== 'webhooks' || !now || !(now.reason && now.reason in ERROR_TEXTS)) continue
    if (old?.state !== now.state || old.reason !== now.reason) paused.set(now.id, now)
  }
  return paused
}

function pauseFault(
  run: DeliveryRun,
  life: Life,
  { team_id, reason }: WebhookRow,
  isTold: boolean,
): string | null {
  if (!isTold) return 'it is not told so'
  const wall = wallOf(run, life.name)
  const moments = [wall, wall - MONTH_TURN_MS]
  const isRight =
    reason === 'BACKLOG_FULL'
      ? isAboveLimit(run, team_id, 1)
      : moments.some((atMs) => isOverLimit(run, team_id, atMs))
  if (!isRight) return `${team_id} is within its limits`
  if (life.name === OFFICE) return null
  for (const { row } of run.book.webhooks.values()) {
    if (row.team_id === team_id && row.state === 'active') return `${row.id} stays active`
  }
  return null
}

/** An error that waits to say the same is not repeated, but sent anew. */
export function isSentAnew(old: BookedRow, now: BookedRow): boolean {
  return now.state === 'waiting' && now.attempts_made === 0 && now.version === old.version + 1
}

function tellsOf({ webhook_id, error }: BookedRow, { id, reason }: WebhookRow): boolean {
  return webhook_id === id && error === ERROR_TEXTS[reason ?? '']
}

/** Whether a team may not go on as it is now. */
export function isOverLimit(run: DeliveryRun, teamId: string, atMs: number): boolean {
  const team = run.book.teams.get(teamId)
  if (!team || team.autoscaling) return false
  const monthlyCu = run.plan.tiers.get(team.tier)?.monthlyCu ?? null
  if (monthlyCu === null) return false
  const spent = run.book.months.get(monthKey({ team_id: teamId, month: monthOf(atMs) })) ?? 0
  return spent >= monthlyCu * 100
}

/** Whether a team has more undelivered than it may for long. */
export function isFull(run: DeliveryRun, teamId: string): boolean {
  if (isAboveLimit(run, teamId, FAR_FACTOR)) return true
  return isAboveLimit(run, teamId, 1) && run.book.backlogs.get(teamId)?.draining !== true
}

function isAboveLimit({ book, plan }: DeliveryRun, teamId: string, times: number): boolean {
  const limit = plan.tiers.get(book.teams.get(teamId)?.tier ?? '')?.undeliveredBytesMax ?? 0
  return (book.backlogs.get(teamId)?.bytes ?? 0) > limit * times
}
