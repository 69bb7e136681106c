import { serial } from '../core/async/serial.ts'
import { hourOf } from '../core/billing/plan.ts'
import type { Database } from '../ports/database.ts'
import type { World } from '../ports/world.ts'
import { accountSpends } from '../tables/usage/upstream-spend.ts'
import type { UsageBatch, UsageRow } from '../tables/usage/usage.ts'
import type { SpendRegistry } from '../upstream/spend/spend-registry.ts'
import type { CallFigures } from './call-figures.ts'
import type { LimitExchange } from './limit-exchange.ts'
import type { TeamAccount } from './team-account.ts'

type Ledger = {
  /** Null where no other process spends. */
  exchange: LimitExchange | null
  figures: Pick<CallFigures, 'take' | 'isDue'>
  /** The spending at upstreams, which is written along as well; absent: there is none. */
  spends?: SpendRegistry
  /** Resolves once the ledger has it. */
  record(batch: UsageBatch): Promise<unknown>
  /** Names this process in the ledger's marks; new at every start. */
  writer: string
  /** Reads what others have spent; called after each write. */
  refresh(): Promise<void>
}

export type UsageMeter = ReturnType<typeof openUsageMeter>

/** One app's spending with one method on one network in one hour, not written yet. */
type Entry = UsageRow & { account: TeamAccount }

/** The contract allows a second to be lost; twice as often leaves room for a slow disk. */
const FLUSH_EVERY_MS = 500

export function openUsageMeter({ clock, database, telemetry }: World, ledger: Ledger) {
  const { exchange, spends, figures } = ledger
  let entries = new Map<string, Entry>()
  /** The entry that each method's last call went to, mostly the next one's as well. */
  let latest = new Map<string, Entry>()
  let hourMs = hourOf(clock.nowMs())
  let hourEndsMs = hourMs + 3_600_000
  let unwritten: { batch: UsageBatch; entries: Entry[] } | null = null
  let sequence = 0
  const inTurn = serial()

  const takeBatch = (isLast: boolean) => {
    const isDue = entries.size > 0 || isLast || figures.isDue() || spends?.isDue()
    if (unwritten || !isDue) return
    const counted = { figures: figures.take(), spends: spends?.take() ?? [] }
    const taken = [...entries.values()]
    if (taken.length + counted.figures.length + counted.spends.length === 0) return
    entries = new Map()
    latest = new Map()
    sequence++
    const { writer } = ledger
    const batch = { writer, sequence, atMs: clock.nowMs(), rows: taken, ...counted }
    unwritten = { batch, entries: taken }
  }

  /** A batch is kept, under its number, until the database has it. */
  const write = async (isLast: boolean) => {
    takeBatch(isLast)
    if (unwritten) {
      await ledger.record(unwritten.batch)
      for (const entry of unwritten.entries) settleEntry(entry)
      spends?.written(unwritten.batch.spends ?? [])
      unwritten = null
    }
    await Promise.all([ledger.refresh(), spends && refreshSpends(database, spends)])
  }

  const flush = (isLast: boolean) =>
    inTurn(() => write(isLast)).catch(() => {
      telemetry.log('error', 'usage_not_written', { lines: entries.size })
      telemetry.count('headgate_usage_write_failures_total', {})
    })

  const stop = clock.every(FLUSH_EVERY_MS, () => void flush(false))
  return {
    add(account: TeamAccount, appId: string, network: string, method: string, centiCu: number) {
      account.pendingCentiCu += centiCu
      if (exchange !== null && account.tier.monthlyCu !== null) {
        exchange.took(account.limitKey, 0, centiCu, account.tier.cuPerSecond)
      }
      const nowMs = clock.nowMs()
      if (nowMs >= hourEndsMs || nowMs < hourMs) {
        hourMs = hourOf(nowMs)
        hourEndsMs = hourMs + 3_600_000
      }
      let entry = latest.get(method)
      if (entry?.appId !== appId || entry.network !== network || entry.hourMs !== hourMs) {
        entry = entryOf(entries, { account, appId, network, method, hourMs })
        latest.set(method, entry)
      }
      entry.calls++
      entry.centiCu += centiCu
    },
    /** Writes all that was metered; safe to call at any time. */
    async flush(): Promise<void> {
      await flush(true)
      // Calls metered while the first batch was on its way go with a second.
      if (entries.size > 0 || unwritten) await flush(true)
    },
    stop,
  }
}

/** Reads what all processes have spent, if that is due. */
async function refreshSpends(database: Database, spends: SpendRegistry): Promise<void> {
  const fromMs = spends.startRead()
  if (fromMs !== null) spends.read(await accountSpends(database, fromMs))
}

type EntryKey = Pick<Entry, 'account' | 'appId' | 'network' | 'method' | 'hourMs'>

function entryOf(entries: Map<string, Entry>, key: EntryKey): Entry {
  const text = `${key.hourMs} ${key.appId} ${key.network} ${key.method}`
  const known = entries.get(text)
  if (known) return known
  const entry = { ...key, teamId: key.account.team.id, calls: 0, centiCu: 0, bytes: 0 }
  entries.set(text, entry)
  return entry
}

function settleEntry(entry: Entry): void {
  entry.account.pendingCentiCu -= entry.centiCu
  entry.account.writtenCentiCu += entry.centiCu
}
