import { hourOf } from '../../core/billing/plan.ts'
import { assert } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import type { GoneWebhook } from '../webhooks/pause-webhooks.ts'
import { type AttemptFacts, endOf, lineOfAttempt } from './attempt-facts.ts'
import type { DeliveryKey } from './delivery.ts'
import {
  NO_BILL,
  NO_DATA,
  OUTCOME_COLUMNS,
  OUTCOME_KINDS,
  type OutcomeBatch,
  settleBatch,
} from './settle-batch.ts'
import type { Fence } from './shards.ts'

export type AttemptOutcome = DeliveryKey & {
  /** It only counts while the delivery has this version and has made no other attempt. */
  version: number
  attemptsMade: number
  teamId: string
  /** Bytes of its result, by which the team's backlog shrinks; null for an error. */
  dataBytes: number | null
  next: { kind: 'delivered' } | { kind: 'retry'; dueAtMs: number } | { kind: 'failed' }
  attempt: AttemptFacts
  bodyBytes: number
  /** Its price; only with `delivered`. */
  bill: Bill | null
  /** The destination said that it is gone for good: its webhook is paused in the same commit. */
  gone: GoneWebhook | null
}

export type Bill = {
  teamId: string
  appId: string | null
  network: string
  centiCu: number
  bytes: number
}

/** As accepted deliveries are called in the ledger. */
const LEDGER_METHOD = 'webhook'

/**
 * Writes what became of attempts, with the bill, in one transaction; the indexes of the
 * outcomes that did not hold. For these nothing is written or billed: one that comes too late, or
 * that was written before without its commit being heard of, changes nothing. 'fenced' when the
 * token is not the courier's any more: then nothing at all is written.
 */
export async function settleDeliveries(
  db: Database,
  fence: Fence,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<number> | 'fenced'> {
  const missed = await db.perform(settleBatch, [batchOf(fence, outcomes)])
  return missed === 'fenced' ? missed : new Set(missed)
}

/** Hot path: numbers and texts travel to another thread as one value each. */
function batchOf(fence: Fence, outcomes: readonly AttemptOutcome[]): OutcomeBatch {
  const billPlaces = new Map<string, number>()
  const teamPlaces = new Map<string, number>()
  const bills: OutcomeBatch['bills'][number][] = []
  const gone: GoneWebhook[] = []
  const numbers = new Float64Array(outcomes.length * OUTCOME_COLUMNS)
  let at = 0
  let lines = ''
  for (const outcome of outcomes) {
    const { next, attempt, bill } = outcome
    assert(!bill || next.kind === 'delivered', 'only what was accepted is billed')
    const endedAtMs = endOf(attempt)
    lines += `${lineOfAttempt(attempt)}\n`
    numbers[at++] = outcome.event
    numbers[at++] = outcome.webhook
    numbers[at++] = outcome.version
    numbers[at++] = outcome.attemptsMade
    numbers[at++] = OUTCOME_KINDS.indexOf(next.kind)
    numbers[at++] = next.kind === 'retry' ? next.dueAtMs : endedAtMs
    numbers[at++] = outcome.bodyBytes
    numbers[at++] = outcome.dataBytes ?? NO_DATA
    numbers[at++] = teamAt(outcome.teamId)
    numbers[at++] = bill ? billAt(bill, endedAtMs) : NO_BILL
    numbers[at++] = bill?.centiCu ?? 0
    numbers[at++] = bill?.bytes ?? 0
    if (outcome.gone) gone.push(outcome.gone)
  }
  return { fence, numbers, lines, bills, teams: [...teamPlaces.keys()], gone }

  function teamAt(teamId: string): number {
    const known = teamPlaces.get(teamId)
    if (known !== undefined) return known
    teamPlaces.set(teamId, teamPlaces.size)
    return teamPlaces.size - 1
  }

  function billAt({ teamId, appId, network }: Bill, endedAtMs: number): number {
    const hourMs = hourOf(endedAtMs)
    const key = `${hourMs} ${teamId} ${appId} ${network}`
    const known = billPlaces.get(key)
    if (known !== undefined) return known
    billPlaces.set(key, bills.length)
    return bills.push({ teamId, appId: appId ?? '', network, method: LEDGER_METHOD, hourMs }) - 1
  }
}
