import type { ChaosRecord, Trouble } from './chaos-schedule.ts'
import { callRpc, type Member } from './cluster.ts'

/** Calls to gateways, all the time. */
export type RpcLoad = {
  sent: number
  answered: number
  /** Calls that were answered, and that a gateway had not written when it was killed. */
  mayBeUnbilled(): number
  /** Answers that were not expected, however the rest of the cluster was. */
  faults: string[]
  stop(): Promise<void>
}

type Call = { sinceMs: number; untilMs: number; outcome: string }

const CALL_EVERY_MS = 25

/** So much usage is lost with a gateway that is killed. */
const UNWRITTEN_MS = 1000

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
    mayBeUnbilled: () => mayBeUnbilled(record, answered),
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

function mayBeUnbilled(record: ChaosRecord, answered: Map<Member, number[]>): number {
  let calls = 0
  for (const { member, atMs } of record.kills) {
    let sinceMs = atMs - UNWRITTEN_MS
    for (const { sinceMs: awayMs, untilMs } of record.database) {
      if (awayMs < atMs && untilMs + RECOVERY_MS > sinceMs) {
        sinceMs = Math.min(sinceMs, awayMs - UNWRITTEN_MS)
      }
    }
    const times = answered.get(member) ?? []
    calls += times.filter((ms) => ms >= sinceMs && ms <= atMs + UNWRITTEN_MS).length
  }
  return calls
}
