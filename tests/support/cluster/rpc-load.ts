import type { ChaosRecord, Trouble } from './chaos-schedule.ts'
import { callRpc, type Member } from './cluster.ts'

/** Calls to gateways, all the time. */
export type RpcLoad = {
  sent: number
  answered: number
  /**
   * Calls that were answered, and that a gateway had not written when it was killed. Given are the
   * times of the last batch that the ledger has of each gateway's life, in any order.
   */
  mayBeUnbilled(lastBatchesAtMs: readonly number[]): number
  /** Answers that were not expected, however the rest of the cluster was. */
  faults: string[]
  stop(): Promise<void>
}

type Call = { sinceMs: number; untilMs: number; outcome: string }

const CALL_EVERY_MS = 25

/** An answer is noted within this after its gateway was killed. */
const IN_TRANSIT_MS = 1000

/**
 * Usage is written twice a second, which tests with a clock of their own prove to the millisecond.
 * Here processes and database share a machine that may have no time for them.
 */
const UNWRITTEN_MS_MAX = 10_000

/** The database is found to be back within this. */
const RECOVERY_MS = 12_000

export const METHOD = 'eth_getBalance'

export function startRpcLoad(
  gateways: readonly Member[],
  key: string,
  record: ChaosRecord,
): RpcLoad {
  const answered = new Map<Member, number[]>()
  let isStopped = false
  const load: RpcLoad = {
    sent: 0,
    answered: 0,
    faults: [],
    mayBeUnbilled: (lastBatchesAtMs) => mayBeUnbilled(record, answered, lastBatchesAtMs),
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
  const loops = gateways.map(async (gateway) => {
    const times: number[] = []
    answered.set(gateway, times)
    while (!isStopped) {
      load.sent += 1
      const call = await callOnce(gateway, key)
      if (call.outcome === 'answered') {
        load.answered += 1
        times.push(call.untilMs)
      } else if (!isExcused(record, gateway, call)) {
        load.faults.push(`${call.outcome} after ${call.untilMs - call.sinceMs} ms`)
      }
      await Bun.sleep(CALL_EVERY_MS)
    }
  })
  return load
}

async function callOnce(gateway: Member, key: string): Promise<Call> {
  const sinceMs = Date.now()
  let outcome: string
  try {
    const { status, json } = await callRpc(gateway, key, METHOD)
    const isAnswered = status === 200 && json.result === '0x1'
    outcome = isAnswered ? 'answered' : `${status} ${JSON.stringify(json)}`
  } catch (thrown) {
    outcome = `${thrown}`
  }
  return { sinceMs, untilMs: Date.now(), outcome }
}

/** A gateway that is killed or sleeps does not answer; a new one has no keys without a database. */
function isExcused(record: ChaosRecord, gateway: Member, call: Call): boolean {
  if ((record.troubles.get(gateway) ?? []).some((one) => meets(one, call))) return true
  const isRefused = call.outcome.startsWith('503 ')
  const wasAway = record.database.some((one) => meets(one, call, RECOVERY_MS))
  return isRefused && wasAway && record.kills.some(({ member }) => member === gateway)
}

function meets(trouble: Trouble, { sinceMs, untilMs }: Call, afterMs = 0): boolean {
  return trouble.sinceMs <= untilMs && sinceMs <= trouble.untilMs + afterMs
}

/** All that was answered before the last batch was put together is in the ledger. */
function mayBeUnbilled(
  record: ChaosRecord,
  answered: Map<Member, number[]>,
  lastBatchesAtMs: readonly number[],
): number {
  const kills = record.kills.filter(({ member }) => answered.has(member))
  const lost = kills.map(({ member, atMs }) => {
    const sinceMs = Math.max(lastBatchBefore(atMs, kills, lastBatchesAtMs), oldest(record, atMs))
    return { member, sinceMs, untilMs: atMs + IN_TRANSIT_MS }
  })
  let calls = 0
  for (const [gateway, times] of answered) {
    const own = lost.filter(({ member }) => member === gateway)
    calls += times.filter((ms) =>
      own.some(({ sinceMs, untilMs }) => ms >= sinceMs && ms <= untilMs),
    ).length
  }
  return calls
}

/**
 * The ledger does not say whose batch it was. A later one before the kill can only be of another
 * gateway that was killed about then, so the last but as many as those counts.
 */
function lastBatchBefore(
  atMs: number,
  kills: readonly { atMs: number }[],
  lastBatchesAtMs: readonly number[],
): number {
  const near = kills.filter((other) => Math.abs(other.atMs - atMs) <= UNWRITTEN_MS_MAX).length
  const before = lastBatchesAtMs.filter((ms) => ms <= atMs).toSorted((a, b) => b - a)
  return before[near - 1] ?? Number.NEGATIVE_INFINITY
}

/** Usage waits for a database that is away, and for nothing else. */
function oldest({ database }: ChaosRecord, atMs: number): number {
  let sinceMs = atMs - UNWRITTEN_MS_MAX
  for (const { sinceMs: awayMs, untilMs } of database) {
    if (awayMs < atMs && untilMs + RECOVERY_MS > sinceMs) {
      sinceMs = Math.min(sinceMs, awayMs - UNWRITTEN_MS_MAX)
    }
  }
  return sinceMs
}
