import { assert } from '../../core/errors.ts'
import type { Database, Procedure } from '../../ports/database.ts'
import { growLog } from '../usage/log-bytes.ts'
import { addUsage, type UsageRow, type UsageTotals } from '../usage/usage.ts'
import { type GoneWebhook, pauseGoneWebhook } from '../webhooks/pause-webhooks.ts'
import { type AttemptRow, noteOnCancelled, settleRows } from './deliveries.ts'
import { listDelivered, listDone, unlistDone } from './done-deliveries.ts'
import { dequeue, LANE, type OutboxEntry, postpone } from './outbox.ts'
import { noteLate } from './retention.ts'
import { type Fence, partOfCourier, renewLease } from './shards.ts'
import { growBacklogs, undeliveredBytes } from './team-backlogs.ts'

/** A group of outcomes for the store, in few values: they may travel to another thread. */
export type OutcomeBatch = {
  fence: Fence
  /** The columns of each outcome, one outcome after the other. */
  numbers: Float64Array
  lines: string
  /** By hours and debtors; an outcome that costs something points here. */
  bills: readonly Omit<UsageRow, keyof UsageTotals>[]
  /** Whom the deliveries were for; an outcome points here. */
  teams: readonly string[]
  /** Webhooks whose destination said that it is gone, which are paused with the outcome. */
  gone: readonly GoneWebhook[]
}

type Unpacked = AttemptRow &
  OutboxEntry & {
    at: number
    kind: (typeof OUTCOME_KINDS)[number]
    /** When it was done, or is due again. */
    atMs: number
    doneAtMs: number | null
    /** The bytes that it counts in its team's backlog. */
    backlogBytes: number
    teamAt: number
    billAt: number
    centiCu: number
    bytes: number
  }

type Sums = { missed: number[]; attemptBytes: number; usage: UsageRow[]; backlog: number[] }

export const OUTCOME_COLUMNS = 12
export const OUTCOME_KINDS = ['delivered', 'retry', 'failed'] as const
export const NO_BILL = -1
export const NO_DATA = -1

/** The indexes of outcomes that did not hold; 'fenced' when nothing was written. */
export const settleBatch: Procedure<[OutcomeBatch], number[] | 'fenced'> = {
  name: 'settleBatch',
  async run(tx, [batch]) {
    if (!(await renewLease(tx, batch.fence))) return 'fenced'
    for (const webhook of batch.gone) await pauseGoneWebhook(tx, webhook)
    const { bills, teams } = batch
    const usage = bills.map((bill) => ({ ...bill, calls: 0, centiCu: 0, bytes: 0 }))
    const sums: Sums = { missed: [], attemptBytes: 0, usage, backlog: teams.map(() => 0) }
    const all = unpack(batch)
    for (const kind of OUTCOME_KINDS) {
      const some = all.filter((one) => one.kind === kind)
      if (some.length > 0) await settleKind(tx, kind, some, sums)
    }
    const billed = usage.filter(({ calls }) => calls > 0)
    const paid = new Map(teams.map((team, at) => [team, -(sums.backlog[at] ?? 0)]))
    const part = partOfCourier(batch.fence)
    tx.last(() =>
      Promise.all([
        addUsage(tx, billed),
        growLog(tx, part, sums.attemptBytes),
        growBacklogs(tx, part, paid),
      ]),
    )
    return sums.missed
  },
}

const STATE = { delivered: 1, retry: 0, failed: 2 } as const

async function settleKind(
  tx: Database,
  kind: Unpacked['kind'],
  outcomes: readonly Unpacked[],
  sums: Sums,
): Promise<void> {
  const written = await settleRows(tx, 0, STATE[kind], outcomes)
  const held = outcomes.filter((_, at) => written[at] === 1)
  const rest = held.length === outcomes.length ? [] : outcomes.filter((_, at) => written[at] !== 1)
  for (const one of held) count(sums, one, kind === 'delivered')
  const leaving =
    kind === 'retry'
      ? postpone(
          tx,
          held.map((one) => ({ ...one, dueAtMs: one.atMs })),
        )
      : dequeue(tx, held)
  await Promise.all([
    leaving,
    kind === 'failed' ? listDone(tx, asDone(held, kind)) : null,
    kind === 'delivered' ? listDelivered(tx, held) : null,
    kind === 'delivered' ? noteLate(tx, lateOf(held)) : null,
  ])
  if (rest.length > 0) await settleCancelled(tx, kind, rest, sums)
}

/**
 * One that was cancelled during its attempt has arrived nonetheless if it was accepted; else its
 * attempt is noted. It was taken out of the backlog when it was cancelled.
 */
async function settleCancelled(
  tx: Database,
  kind: Unpacked['kind'],
  outcomes: readonly Unpacked[],
  sums: Sums,
): Promise<void> {
  const isDelivered = kind === 'delivered'
  const written = isDelivered
    ? await settleRows(tx, 3, STATE.delivered, outcomes)
    : await noteOnCancelled(tx, outcomes)
  const held: Unpacked[] = []
  for (const [at, one] of outcomes.entries()) {
    if (written[at] !== 1) sums.missed.push(one.at)
    else held.push(one)
  }
  for (const one of held) count(sums, one, false)
  if (!isDelivered) return
  await unlistDone(tx, asDone(held, 'cancelled'))
  await listDelivered(tx, held)
  await noteLate(tx, lateOf(held))
}

function asDone(held: readonly Unpacked[], state: 'failed' | 'cancelled') {
  return held.map(({ event, webhook }) => ({ event, webhook, state }))
}

function lateOf(held: readonly Unpacked[]) {
  return held.map(({ event, webhook, atMs }) => ({ event, webhook, doneAtMs: atMs }))
}

function count(sums: Sums, one: Unpacked, leavesBacklog: boolean): void {
  sums.attemptBytes += one.lineBytes
  if (leavesBacklog) {
    sums.backlog[one.teamAt] = (sums.backlog[one.teamAt] ?? 0) + one.backlogBytes
  }
  const entry = sums.usage[one.billAt]
  if (!entry) return
  entry.calls += 1
  entry.centiCu += one.centiCu
  entry.bytes += one.bytes
}

function unpack({ numbers, lines }: OutcomeBatch): Unpacked[] {
  const all: Unpacked[] = []
  let from = 0
  for (let at = 0; at * OUTCOME_COLUMNS < numbers.length; at++) {
    const end = lines.indexOf('\n', from) + 1
    const line = lines.slice(from, end)
    from = end
    const column = (place: number) => numbers[at * OUTCOME_COLUMNS + place] ?? 0
    const [version, attemptsMade, atMs, dataBytes] = [column(2), column(3), column(5), column(7)]
    const kind = OUTCOME_KINDS[column(4)]
    assert(kind !== undefined, 'an outcome is of a known kind')
    const isNew = version === 0 && attemptsMade === 0
    all.push({
      at,
      event: column(0),
      webhook: column(1),
      version,
      attemptsMade,
      kind,
      atMs,
      doneAtMs: kind === 'retry' ? null : atMs,
      line,
      lineBytes: Buffer.byteLength(line),
      bodyBytes: column(6),
      lane: dataBytes === NO_DATA ? LANE.error : isNew ? LANE.new : LANE.retry,
      backlogBytes: dataBytes === NO_DATA ? 0 : undeliveredBytes(dataBytes),
      teamAt: column(8),
      billAt: column(9),
      centiCu: column(10),
      bytes: column(11),
    })
  }
  return all
}
