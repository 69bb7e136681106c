import { hourOf } from '../core/billing/plan.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { recordUsage, type UsageBatch, type UsageRow } from '../tables/usage/usage.ts'
import type { TeamAccount } from './team-account.ts'

type Needs = {
  clock: Clock
  database: Database
  telemetry: Telemetry
  /** Names this process in the ledger's marks; new at every start. */
  writer: string
  /** Called after each write, to read what others have spent. */
  refresh(): Promise<void>
}

export type UsageMeter = {
  add(account: TeamAccount, appId: string, network: string, method: string, centiCu: number): void
  /** Writes all that was metered; safe to call at any time, by anyone. */
  flush(): Promise<void>
  stop(): void
}

type Line = UsageRow & { account: TeamAccount }

/** The contract allows a second to be lost; twice as often leaves room for a slow disk. */
const FLUSH_EVERY_MS = 500

/** Notes what calls cost, and writes it to the ledger beside them. */
export function openUsageMeter(needs: Needs): UsageMeter {
  const { clock } = needs
  let lines = new Map<string, Line>()
  /** The line each method's last call went to: the next one's is mostly the same. */
  let latest = new Map<string, Line>()
  let hourMs = hourOf(clock.nowMs())
  let hourEndsMs = hourMs + 3_600_000
  let unwritten: { batch: UsageBatch; lines: Line[] } | null = null
  let sequence = 0
  let writing: Promise<void> = Promise.resolve()

  const takeBatch = () => {
    if (unwritten || lines.size === 0) return
    const taken = [...lines.values()]
    lines = new Map()
    latest = new Map()
    sequence++
    const batch = { writer: needs.writer, sequence, atMs: clock.nowMs(), rows: taken }
    unwritten = { batch, lines: taken }
  }

  /** A batch stays in hand, under its number, until the database has it. */
  const write = async () => {
    takeBatch()
    if (unwritten) {
      await recordUsage(needs.database, unwritten.batch)
      for (const line of unwritten.lines) settleLine(line)
      unwritten = null
    }
    await needs.refresh()
  }

  const flush = () => {
    writing = writing.then(write).catch(() => {
      needs.telemetry.log('error', 'usage_not_written', { lines: lines.size })
      needs.telemetry.count('headgate_usage_write_failures_total', {})
    })
    return writing
  }

  const stop = clock.every(FLUSH_EVERY_MS, () => void flush())
  return {
    add(account, appId, network, method, centiCu) {
      account.pendingCentiCu += centiCu
      const nowMs = clock.nowMs()
      if (nowMs >= hourEndsMs || nowMs < hourMs) {
        hourMs = hourOf(nowMs)
        hourEndsMs = hourMs + 3_600_000
      }
      let line = latest.get(method)
      if (line?.appId !== appId || line.network !== network || line.hourMs !== hourMs) {
        line = lineOf(lines, { account, appId, network, method, hourMs })
        latest.set(method, line)
      }
      line.calls++
      line.centiCu += centiCu
    },
    async flush() {
      await flush()
      // What was metered while the first batch was on its way goes with a second.
      if (lines.size > 0 || unwritten) await flush()
    },
    stop,
  }
}

type Place = Pick<Line, 'account' | 'appId' | 'network' | 'method' | 'hourMs'>

function lineOf(lines: Map<string, Line>, place: Place): Line {
  const key = `${place.hourMs} ${place.appId} ${place.network} ${place.method}`
  const known = lines.get(key)
  if (known) return known
  const line = { ...place, teamId: place.account.team.id, calls: 0, centiCu: 0, bytes: 0 }
  lines.set(key, line)
  return line
}

function settleLine(line: Line): void {
  line.account.pendingCentiCu -= line.centiCu
  line.account.writtenCentiCu += line.centiCu
}
