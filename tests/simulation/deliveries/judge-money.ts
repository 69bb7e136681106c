import { hourOf, monthOf } from '../../../src/core/billing/plan.ts'
import type { Life } from '../process-life.ts'
import { monthKey } from './book.ts'
import { complain, type DeliveryRun, OFFICE, type Post, wallOf } from './delivery-run.ts'
import type { Change, ChangeOf, UsageRow } from './journal-changes.ts'
import { CAPACITY_TEXT } from './judge-posts.ts'

const REASON = 'MONTHLY_CAPACITY_EXCEEDED'

/** A month that has just ended may still be in somebody's mind. */
const MONTH_TURN_MS = 60_000

/** 0.04 CU a byte, in hundredths. */
const CENTI_CU_PER_BYTE = 4

/** What was accepted is billed with the same commit, and nothing else ever is. */
export function judgeBill(
  run: DeliveryRun,
  life: Life,
  changes: readonly Change[],
  accepted: readonly Post[],
): void {
  const owed = new Map<string, number>()
  for (const post of accepted) {
    if (post.kind === 'error') continue
    const row = run.book.webhooks.get(post.webhookId)?.row
    const atMs = post.startedWallMs + (post.seen?.ms.total ?? 0)
    const key = [row?.team_id, row?.app_id ?? '', hourOf(atMs)].join()
    add(owed, `${key} calls`, 1)
    add(owed, `${key} bytes`, Buffer.byteLength(post.body))
    add(owed, `${key} centi`, Buffer.byteLength(post.body) * CENTI_CU_PER_BYTE)
  }
  const billed = new Map<string, number>()
  const spent = new Map<string, number>()
  for (const { table, old, now } of changes) {
    if (table === 'usage' && now) noteUsage(billed, spent, old, now)
    if (table === 'team_months' && now)
      add(spent, monthKey(now), (old?.centi_cu ?? 0) - now.centi_cu)
  }
  const fault = difference(owed, billed)
  if (fault) complain(run, `${life.name} bills ${fault}`)
  for (const [month, centiCu] of spent) {
    if (centiCu !== 0) complain(run, `ledger and month differ by ${centiCu} in ${month}`)
  }
}

/** When a month runs out all active webhooks of the team are paused, each with one error. */
export function judgePauses(run: DeliveryRun, life: Life, changes: readonly Change[]): void {
  const paused = new Set<string>()
  const teamIds = new Set<string>()
  const errors: string[] = []
  for (const change of changes) {
    if (change.table === 'webhooks' && isCapacityPause(change)) {
      paused.add(change.now?.id ?? '')
      teamIds.add(change.now?.team_id ?? '')
    }
    if (change.table !== 'deliveries' || change.old || change.now?.kind !== 'error') continue
    errors.push(change.now.webhook_id)
    if (change.now.error !== CAPACITY_TEXT) complain(run, `an error says ${change.now.error}`)
  }
  if (life.name === OFFICE) return void judgePausedAgain(run, life, changes, errors)
  // One that waits to say the same is not repeated.
  for (const { row } of run.book.deliveries.values()) {
    const isWaiting = row.kind === 'error' && row.state === 'waiting'
    if (isWaiting && paused.has(row.webhook_id) && !errors.includes(row.webhook_id)) {
      errors.push(row.webhook_id)
    }
  }
  if (errors.sort().join() !== [...paused].sort().join()) {
    complain(run, `${life.name} pauses ${[...paused]} with errors for ${errors}`)
  }
  for (const teamId of teamIds) judgeTeam(run, life, teamId)
}

/** What is made active while the month is used up is paused instead, and told so. */
function judgePausedAgain(
  run: DeliveryRun,
  life: Life,
  changes: readonly Change[],
  errors: readonly string[],
): void {
  for (const id of errors) {
    const change = changes.find((one) => one.table === 'webhooks' && one.now?.id === id)
    const row = change?.table === 'webhooks' ? change.now : null
    if (row?.reason !== REASON) complain(run, `${id} is told of a pause and is ${row?.state}`)
    else if (!isOverLimit(run, row.team_id, wallOf(run, life.name))) {
      complain(run, `${id} is not made active, though its team has not used up its month`)
    }
  }
}

/** Whether the team may not go on as it is now. */
export function isOverLimit(run: DeliveryRun, teamId: string, atMs: number): boolean {
  const team = run.book.teams.get(teamId)
  if (!team || team.autoscaling) return false
  const monthlyCu = run.plan.tiers.get(team.tier)?.monthlyCu ?? null
  if (monthlyCu === null) return false
  const spent = run.book.months.get(monthKey({ team_id: teamId, month: monthOf(atMs) })) ?? 0
  return spent >= monthlyCu * 100
}

function judgeTeam(run: DeliveryRun, life: Life, teamId: string): void {
  const wall = wallOf(run, life.name)
  if (life.name === OFFICE) complain(run, `${teamId} is paused by its office`)
  const isOver = [wall, wall - MONTH_TURN_MS].some((atMs) => isOverLimit(run, teamId, atMs))
  if (!isOver) complain(run, `${life.name} pauses ${teamId}, which has not used up its month`)
  for (const { row } of run.book.webhooks.values()) {
    if (row.team_id === teamId && row.state === 'active') {
      complain(run, `${life.name} pauses ${teamId} but not its ${row.id}`)
    }
  }
}

function isCapacityPause({ old, now }: ChangeOf<'webhooks'>): boolean {
  return old?.state === 'active' && now?.reason === REASON
}

function noteUsage(
  billed: Map<string, number>,
  spent: Map<string, number>,
  old: UsageRow | null,
  now: UsageRow,
): void {
  const centiCu = now.centi_cu - (old?.centi_cu ?? 0)
  add(spent, monthKey({ ...now, month: monthOf(now.hour_ms) }), centiCu)
  if (now.method !== 'webhook') return
  const key = [now.team_id, now.app_id, now.hour_ms].join()
  add(billed, `${key} calls`, now.calls - (old?.calls ?? 0))
  add(billed, `${key} bytes`, now.bytes - (old?.bytes ?? 0))
  add(billed, `${key} centi`, centiCu)
}

function difference(owed: Map<string, number>, billed: Map<string, number>): string | null {
  for (const key of new Set([...owed.keys(), ...billed.keys()])) {
    const [due, was] = [owed.get(key) ?? 0, billed.get(key) ?? 0]
    if (due !== was) return `${was} where ${due} is due: ${key}`
  }
  return null
}

function add(sums: Map<string, number>, key: string, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by)
}
