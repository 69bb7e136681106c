import type { AttemptOutcome } from '../tables/deliveries/delivery-outcomes.ts'
import type { CourierNeeds } from './courier-needs.ts'
import { openPump, type Pump } from './pump.ts'
import { type EventNews, type NewsReader, openNewsReader } from './schedule/event-news.ts'
import { unpark } from './schedule/pick-turns.ts'
import { enlist, openSchedule, type Schedule } from './schedule/schedule.ts'
import { openWebhookLines, type WebhookLines } from './schedule/webhook-lines.ts'
import type { DeliverNeeds } from './send/deliver.ts'
import { type DeliveryNotes, openDeliveryNotes } from './send/delivery-notes.ts'
import { pauseGone } from './send/destination-gone.ts'
import { type GroupCommit, openGroupCommit } from './send/group-commit.ts'
import { openResultCache } from './send/result-cache.ts'

type Needs = Omit<CourierNeeds, 'tiers' | 'publicUrl'> & {
  /** Told of the teams that something was billed to, after the commit. */
  billed(teamIds: ReadonlySet<string>): void
  failed(thrown: unknown): void
}

/** What sends: whom it is reminded of, as far as their hosts can take it. */
export type Dispatch = {
  /** Nothing is sent before. */
  start(): void
  /** These have something new of an event, or without one anything to send. */
  remind(webhookIds: readonly string[], event?: EventNews): void
  /** These were changed. */
  changed(webhookIds: readonly string[]): void
  /** Finds out what was changed by others. */
  refresh(): Promise<void>
  /** Gives hosts that were given up their next chance, when it is due. */
  probe(): void
  stop(): Promise<void>
}

/** Ends before the rest of the process does. */
const STOP_MS_MAX = 8000

/** So long a lease outlasts its attempt: it lapses only when its process died or stood still. */
const LEASE_MARGIN_MS = 5000

/** Places that are worth a look at what could take them. */
const FREED_MANY = 32

const PROCESS_NAME_LENGTH = 12

/** When the webhook could not be paused, what is gone is not asked again at once. */
const GONE_AGAIN_MS = 60_000

/** What the pieces of the dispatch know of each other. */
type Parts = {
  schedule: Schedule
  notes: DeliveryNotes
  lines: WebhookLines
  commits: GroupCommit
  news: NewsReader
  pump: Pump
}

export function openDispatch(needs: Needs): Dispatch {
  const { clock } = needs
  const pausing = new Set<Promise<void>>()
  let isStopped = false
  let isReady = false
  let drained = () => {}
  let freed = 0

  const parts = openParts(needs, {
    isStopped: () => isStopped,
    isReady: () => isReady,
    freed() {
      if (parts.schedule.inFlight === 0) drained()
      freed += 1
      // What is claimed now waits for the commit under way, so it may as well be more.
      if (freed < FREED_MANY && parts.commits.isCommitting()) return
      freed = 0
      parts.pump.run()
    },
    gone(parcel, outcome) {
      const done = pauseAndFinish(needs, parts, parcel, outcome).finally(() => pausing.delete(done))
      pausing.add(done)
    },
  })
  const { schedule, lines, news, pump, commits, notes } = parts

  const finish = async () => {
    await pump.rest()
    const empty = new Promise<void>((resolve) => {
      drained = resolve
    })
    if (schedule.inFlight > 0) await empty
    await Promise.all(pausing)
    await commits.flush()
  }

  return {
    start() {
      isReady = true
      pump.run()
    },
    remind(webhookIds, event) {
      if (event) news.note(event)
      else lines.remind(webhookIds, true)
      pump.run()
    },
    changed(webhookIds) {
      lines.forget(webhookIds)
      pump.run()
    },
    async refresh() {
      if (await lines.refresh()) pump.run()
    },
    probe() {
      unpark(schedule, clock.monotonicMs())
      pump.run()
    },
    async stop() {
      isStopped = true
      await new Promise<void>((resolve) => {
        const cancel = clock.after(STOP_MS_MAX, resolve)
        void finish().then(cancel).then(resolve)
      })
      commits.close()
      notes.stop()
    },
  }
}

function openParts(
  needs: Needs,
  hooks: Pick<DeliverNeeds, 'freed' | 'gone'> & { isStopped(): boolean; isReady(): boolean },
): Parts {
  const { clock, database, entropy, telemetry } = needs
  const schedule = openSchedule()
  const notes = openDeliveryNotes(telemetry, schedule)
  const lines = openWebhookLines({ ...needs, schedule })
  const processName = entropy.alphanumeric(PROCESS_NAME_LENGTH)
  let leases = 0
  const commits = openGroupCommit({
    clock,
    database,
    telemetry,
    leaseMs: needs.settings.timeoutMs + LEASE_MARGIN_MS,
    nextLease: () => `${processName}.${++leases}`,
    written: (done, ours) => afterCommit(needs, parts, done, ours),
    committed: () => parts.pump.run(),
  })
  const results = openResultCache(database)
  const news = openNewsReader({
    ...needs,
    ...hooks,
    schedule,
    results,
    lines,
    ready: () => parts.pump.run(),
  })
  const pump = openPump({
    ...needs,
    ...hooks,
    schedule,
    notes,
    lines,
    news,
    results,
    unwritten: commits.unwritten,
    finished: commits.push,
    claim: commits.claim,
  })
  const parts = { schedule, notes, lines, commits, news, pump }
  return parts
}

function afterCommit(
  needs: Needs,
  { schedule, notes, lines }: Parts,
  outcomes: readonly AttemptOutcome[],
  ours: ReadonlySet<string>,
): void {
  const nowMs = needs.clock.nowMs()
  const teamIds = new Set<string>()
  const again: string[] = []
  for (const { id, webhookId, next, bill } of outcomes) {
    const isOurs = ours.has(id)
    if (!isOurs) notes.lost()
    else if (bill) teamIds.add(bill.teamId)
    // The sweep may have passed that moment before it was written. What was changed meanwhile
    // may be due as it is now.
    if (!isOurs || ('dueAtMs' in next && next.dueAtMs <= nowMs)) again.push(webhookId)
    const line = schedule.lines.get(webhookId)
    if (!line) continue
    line.held.delete(id)
    if (next.kind === 'released') line.releasing = Math.max(0, line.releasing - 1)
    enlist(schedule, line)
  }
  if (again.length > 0) lines.remind(again, true)
  if (teamIds.size > 0) needs.billed(teamIds)
}

async function pauseAndFinish(
  needs: Needs,
  { lines, commits, pump }: Parts,
  ...[{ line, url }, outcome]: Parameters<DeliverNeeds['gone']>
): Promise<void> {
  const { id, teamId } = line.webhook
  // Nothing more goes there, not even until that is committed.
  line.webhook = { ...line.webhook, state: 'paused' }
  try {
    await pauseGone(needs.database, { id, teamId, url })
    needs.signals.publish('webhooks', '')
  } catch (thrown) {
    needs.failed(thrown)
    outcome.next = { kind: 'retry', dueAtMs: needs.clock.nowMs() + GONE_AGAIN_MS }
  }
  lines.forget([id])
  commits.push(outcome)
  pump.run()
}
