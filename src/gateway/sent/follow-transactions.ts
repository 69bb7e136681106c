import { errorText } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { holdSent, takeOverSent } from '../../tables/sent/sent-transactions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openAwaitedTransactions } from './awaited-transactions.ts'
import { openSentLog } from './sent-log.ts'

export type TrackerNeeds = {
  clock: Clock
  database: Database
  telemetry: Telemetry
  /** The name of this process. */
  holder: string
}

export type TransactionTracker = {
  /** Writes what is noted, and leaves what still waits to others. */
  stop(): Promise<void>
}

/** Notes are written so often: a crash loses no more than that of the log. */
const TICK_MS = 1000

/** Without a new head, as on a chain that stands still, nodes are asked so often. */
const CHECK_EVERY_MS = 15_000

/** So often a process says that it follows what it holds; after three times that it does not. */
const HOLD_EVERY_MS = 20_000
const HELD_MS_MAX = 60_000

/** Taken over at a time, so that room is left for what is sent here. */
const TAKEN_MAX = 100

/**
 * Follows the transactions that were sent to one network until they are mined or dropped. The
 * process that sent one follows it; when it is gone, another takes it over from the table.
 */
export function followTransactions(
  needs: TrackerNeeds,
  service: NetworkService,
): TransactionTracker {
  const { clock, database, telemetry, holder } = needs
  const { id: network } = service.network
  const log = openSentLog(needs, network, holder)
  const awaited = openAwaitedTransactions(service)
  let highest = 0
  let isHeadNew = false
  let checkedAtMs = clock.monotonicMs()
  let heldAtMs = checkedAtMs - HOLD_EVERY_MS
  let running: Promise<void> | null = null

  const check = async () => {
    isHeadNew = false
    checkedAtMs = clock.monotonicMs()
    const changes = await awaited.check()
    for (const { state } of changes) {
      telemetry.count('headgate_sent_transactions_total', { network, state })
    }
    log.settle(changes)
  }
  const hold = async () => {
    heldAtMs = clock.monotonicMs()
    const nowMs = clock.nowMs()
    if (awaited.size > 0) await holdSent(database, network, holder, nowMs)
    const window = {
      beforeMs: nowMs - HELD_MS_MAX,
      nowMs,
      limit: Math.min(TAKEN_MAX, awaited.room),
    }
    for (const { hash } of await takeOverSent(database, network, holder, window)) {
      awaited.add({ hash, app: null, seenAtMs: nowMs, raw: null })
    }
  }
  const tick = async () => {
    const sinceMs = (atMs: number) => clock.monotonicMs() - atMs
    try {
      await log.write()
      if (sinceMs(heldAtMs) >= HOLD_EVERY_MS) await hold()
      const isDue = isHeadNew || sinceMs(checkedAtMs) >= CHECK_EVERY_MS
      if (awaited.size > 0 && isDue) await check()
    } catch (thrown) {
      const reason = errorText(thrown)
      telemetry.log('warn', 'sent_transactions_not_followed', { network, reason })
    }
  }

  const stops = [
    service.sent.subscribe((note) => {
      const { hash, app, raw, sentAtMs: seenAtMs } = note
      log.add(note, awaited.add({ hash, app, seenAtMs, raw }))
    }),
    service.heads.subscribe(({ header }) => {
      isHeadNew ||= header.number > highest
      highest = Math.max(highest, header.number)
    }),
    clock.every(TICK_MS, () => {
      running ??= tick().finally(() => {
        running = null
      })
    }),
  ]
  return {
    async stop() {
      for (const stop of stops) stop()
      await running
      await log.write()
      // Another process need not wait until this process counts as gone.
      if (awaited.size > 0) await holdSent(database, network, holder, 0).catch(() => {})
    },
  }
}
