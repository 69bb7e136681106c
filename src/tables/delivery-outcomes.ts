import { hourOf } from '../core/billing/plan.ts'
import { assert } from '../core/errors.ts'
import { type Database, type SqlValue, sql, sqlRows } from '../ports/database.ts'
import type { Lane } from './delivery-claims.ts'
import { evenChunks } from './even-chunks.ts'
import { ATTEMPTS, growLog } from './log-sizes.ts'
import { typedRows } from './typed-rows.ts'
import { addUsage, type UsageRow } from './usage.ts'

/** How one attempt went, for the log. */
export type AttemptFacts = {
  startedAtMs: number
  /** Null when no answer came. */
  status: number | null
  fault: string | null
  ms: { lookup: number; connect: number; answer: number; total: number }
  /** The beginning of the answer. */
  bodyStart: string
  address: string | null
  lane: Lane
}

/** What became of a delivery that was claimed. */
export type AttemptOutcome = {
  id: string
  /** It only counts while the delivery is claimed under this name. */
  lease: string
  webhookId: string
  /** `released` gives it back unattempted. */
  next:
    | { kind: 'delivered' }
    | { kind: 'retry'; dueAtMs: number }
    | { kind: 'failed' }
    | { kind: 'released'; dueAtMs: number }
  attempt: AttemptFacts | null
  bodyBytes: number
  /** What it costs; only with `delivered`. */
  bill: {
    teamId: string
    appId: string | null
    network: string
    centiCu: number
    bytes: number
  } | null
}

type OutcomeRow = [id: string, ...SqlValue[]]

/** Dozens of attempts. Of one that is sent again by hand many times the first are forgotten. */
const ATTEMPTS_CHARS_MAX = 64 * 1024

const STATE = { delivered: 'delivered', retry: 'waiting', failed: 'failed', released: 'waiting' }

const OUTCOME_TYPES = [
  'TEXT',
  'TEXT',
  'TEXT',
  'BIGINT',
  'BIGINT',
  'TEXT',
  'BIGINT',
  'BIGINT',
  'BIGINT',
] as const

/** Such a statement stays prepared; a longer one would not. */
const SETTLED_AT_ONCE_MAX = 64

/** As accepted deliveries are called in the ledger. */
const LEDGER_METHOD = 'webhook'

/**
 * Writes what became of claimed deliveries, with the bill, in one transaction; the ids of
 * those whose lease still held. For the rest nothing is written or billed: who comes too
 * late, or did not hear that it was written before, changes nothing.
 */
export async function writeOutcomes(
  db: Database,
  outcomes: readonly AttemptOutcome[],
): Promise<Set<string>> {
  assert(new Set(outcomes.map(({ id }) => id)).size === outcomes.length, 'each has one outcome')
  const lines = outcomes.map(({ attempt }) => (attempt ? `${JSON.stringify(attempt)}\n` : ''))
  const lineBytes = lines.map((line) => Buffer.byteLength(line))
  const rows = outcomes.map((one, at) => rowOf(one, lines[at] ?? '', lineBytes[at] ?? 0))
  const bills = outcomes.map(usageOf)

  return db.transaction(async (tx) => {
    const held = await settle(tx, rows)
    const isHeld = (_: unknown, at: number) => held.has(outcomes[at]?.id ?? '')
    const attemptBytes = lineBytes.filter(isHeld).reduce((sum, bytes) => sum + bytes, 0)
    await Promise.all([
      addUsage(tx, bills.filter(isHeld).flat()),
      growLog(tx, ATTEMPTS, attemptBytes),
    ])
    return held
  })
}

/** Compares and sets: the lease says whether the delivery is still ours to write. */
async function settle(tx: Database, rows: readonly OutcomeRow[]): Promise<Set<string>> {
  const settled = await Promise.all(
    evenChunks(rows, SETTLED_AT_ONCE_MAX).map((chunk) => {
      const ids = chunk.map(([id]) => id)
      // One that was cancelled during its attempt has arrived nonetheless, when it has. The ids
      // stand there twice, because SQLite would rather read the whole table for long lists.
      return tx.query<{ id: string }>(sql`
        WITH outcomes (id, lease, state, due_at_ms, attempted, attempt, bytes, body_bytes,
          done_at_ms) AS (VALUES ${typedRows(OUTCOME_TYPES, chunk)})
        UPDATE deliveries SET
          state = CASE WHEN deliveries.state = 'waiting' OR outcomes.state = 'delivered'
            THEN outcomes.state ELSE deliveries.state END,
          lane = CASE WHEN outcomes.attempted = 1 AND deliveries.lane = 'first'
            THEN 'retry' ELSE deliveries.lane END,
          due_at_ms = COALESCE(outcomes.due_at_ms, deliveries.due_at_ms),
          done_at_ms = COALESCE(outcomes.done_at_ms, deliveries.done_at_ms),
          attempts_made = deliveries.attempts_made + outcomes.attempted,
          attempts = CASE WHEN LENGTH(deliveries.attempts) < ${ATTEMPTS_CHARS_MAX}
            THEN deliveries.attempts ELSE '' END || outcomes.attempt,
          attempts_bytes = deliveries.attempts_bytes + outcomes.bytes,
          body_bytes = COALESCE(outcomes.body_bytes, deliveries.body_bytes),
          lease = NULL, lease_until_ms = 0
        FROM outcomes
        WHERE deliveries.id = outcomes.id AND deliveries.id IN ${sqlRows([ids])}
          AND deliveries.lease = outcomes.lease AND deliveries.state IN ('waiting', 'cancelled')
        RETURNING deliveries.id`)
    }),
  )
  return new Set(settled.flat().map(({ id }) => id))
}

function rowOf(outcome: AttemptOutcome, line: string, lineBytes: number): OutcomeRow {
  const { id, lease, next, attempt, bodyBytes } = outcome
  assert(next.kind !== 'delivered' || attempt !== null, 'nothing arrives without an attempt')
  const isDone = next.kind === 'delivered' || next.kind === 'failed'
  return [
    id,
    lease,
    STATE[next.kind],
    'dueAtMs' in next ? next.dueAtMs : null,
    attempt ? 1 : 0,
    line,
    lineBytes,
    attempt ? bodyBytes : null,
    isDone && attempt ? endOf(attempt) : null,
  ]
}

function usageOf({ attempt, bill, next }: AttemptOutcome): UsageRow[] {
  if (!bill) return []
  assert(next.kind === 'delivered' && attempt !== null, 'only what was accepted is billed')
  const { teamId, appId, network, centiCu, bytes } = bill
  const hourMs = hourOf(endOf(attempt))
  const method = LEDGER_METHOD
  return [{ teamId, appId: appId ?? '', network, method, hourMs, calls: 1, centiCu, bytes }]
}

function endOf({ startedAtMs, ms }: AttemptFacts): number {
  return startedAtMs + Math.round(ms.total)
}
