import { errorText } from '../../core/errors.ts'
import type { SentNote } from '../../core/rpc/sends/sent-note.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import {
  type NewSent,
  recordSent,
  type SentChange,
  settleSent,
} from '../../tables/sent/sent-transactions.ts'

type Needs = { clock: Clock; database: Database; telemetry: Telemetry }

/** The log of what apps have sent to one network, on its way into the store. */
export type SentLog = {
  /** Noted in memory: nobody who sends waits for the store. What is not followed anybody may. */
  add(note: SentNote, isFollowed: boolean): void
  settle(changes: readonly SentChange[]): void
  /** Writes what was noted since. What cannot be written now is kept for the next time. */
  write(): Promise<void>
}

/** Beyond this many that are not written, or that another upstream may still take, none is kept. */
const ENTRIES_MAX = 10_000

export function openSentLog(
  { clock, database, telemetry }: Needs,
  network: string,
  holder: string,
): SentLog {
  /** The last ones sent, so that later upstreams are added to those before. */
  const entries = new Map<string, NewSent>()
  const unwritten = new Set<string>()
  let changes: SentChange[] = []

  const forgetOldest = () => {
    for (const key of entries.keys()) {
      if (entries.size < ENTRIES_MAX) return
      if (unwritten.has(key)) continue
      entries.delete(key)
    }
  }

  return {
    add({ app, hash, upstream, sentAtMs }, isFollowed) {
      const key = `${app} ${hash}`
      const before = entries.get(key)
      if (!before) forgetOldest()
      if (!before && entries.size >= ENTRIES_MAX) return
      const upstreams = [...new Set([...(before?.upstreams ?? []), upstream])]
      entries.set(key, { appId: app, network, hash, upstreams, sentAtMs, isFollowed })
      unwritten.add(key)
    },
    settle(more) {
      changes.push(...more)
    },
    async write() {
      if (unwritten.size === 0 && changes.length === 0) return
      const keys = [...unwritten]
      const settled = changes
      unwritten.clear()
      changes = []
      const rows = keys.flatMap((key) => entries.get(key) ?? [])
      const nowMs = clock.nowMs()
      try {
        await recordSent(database, rows, holder, nowMs)
        await settleSent(database, network, settled, nowMs)
      } catch (thrown) {
        for (const key of keys) unwritten.add(key)
        changes = [...settled, ...changes].slice(-ENTRIES_MAX)
        const reason = errorText(thrown)
        telemetry.log('warn', 'sent_log_not_written', { network, entries: keys.length, reason })
      }
    },
  }
}
