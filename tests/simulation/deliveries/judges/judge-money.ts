import { hourOf, monthOf } from '../../../../src/core/billing/plan.ts'
import type { Life } from '../../process-life.ts'
import { monthKey } from '../book.ts'
import { complain, type DeliveryRun, type Post } from '../delivery-run.ts'
import type { Change, UsageRow } from '../journal-changes.ts'

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
