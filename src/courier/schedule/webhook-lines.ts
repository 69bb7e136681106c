import { standardSignature } from '../../core/delivery/signature.ts'
import type { Database } from '../../ports/database.ts'
import { type SealedPlace, type Secrets, signingKeyPlace } from '../../ports/secrets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type CourierWebhook, webhooksForCourier } from '../../tables/webhooks/courier-webhooks.ts'
import { webhookRevision, webhooksChangedSince } from '../../tables/webhooks/webhooks.ts'
import { dropLine, enlist, type Line, placeLine, type Schedule } from './schedule.ts'

type Needs = { database: Database; secrets: Secrets; telemetry: Telemetry; schedule: Schedule }

/** Webhooks whose keys cannot be read: they are met again and again, and told of once. */
type Unreadable = Set<string>

export type WebhookLines = {
  /** These may have new deliveries, or with `all` also retries, replays and errors. */
  remind(ids: readonly string[], all: boolean): void
  /** These are not what they were: they are read anew before anything more is sent. */
  forget(ids: readonly string[]): void
  /** It was changed and has not been read anew yet. */
  isOutdated(id: string): boolean
  /** Reads the webhooks that nothing is known of yet. */
  place(): Promise<void>
  /** Finds out which webhooks were changed; cheap when none was. True when some were. */
  refresh(): Promise<boolean>
}

/** Reminders only remind: what is beyond this is found by the next look at the table. */
const UNPLACED_MAX = 50_000
const PLACED_AT_ONCE = 500
const CHANGES_PAGE = 500
const UNREADABLE_MAX = 1000

/** Keeps what the courier knows of webhooks up to what is stored. */
export function openWebhookLines(needs: Needs): WebhookLines {
  const { database, schedule } = needs
  /** The value says whether all lanes are to be looked at. */
  const unplaced = new Map<string, boolean>()
  const unreadable: Unreadable = new Set()
  /** Being read: what is known of them may be out of date until that is done. */
  const reading = new Set<string>()
  let revision: number | null = null
  let refreshing: Promise<boolean> | null = null

  const note = (id: string, all: boolean) => {
    const before = unplaced.get(id)
    // A line that is known must not go on as it was, so it is noted in any case.
    const isTooMany = unplaced.size >= UNPLACED_MAX && !schedule.lines.has(id)
    if (before === undefined && isTooMany) return
    unplaced.set(id, all || before === true)
  }

  const forget = (ids: readonly string[]) => {
    for (const id of ids) note(id, true)
  }

  const readChanges = async (): Promise<boolean> => {
    const now = await webhookRevision(database)
    // At the start nothing is held yet that could have changed.
    if (revision !== null && revision !== now) forget(await changedSince(database, revision))
    const isNews = revision !== now
    revision = now
    return isNews
  }

  const refresh = (): Promise<boolean> => {
    refreshing ??= readChanges().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  return {
    remind(ids, all) {
      for (const id of ids) {
        const line = unplaced.has(id) ? undefined : schedule.lines.get(id)
        if (line) want(schedule, line, all)
        else note(id, all)
      }
    },
    forget,
    isOutdated: (id) => unplaced.has(id) || reading.has(id),
    async place() {
      // From here on changes are noticed, so it comes before the first webhook is read.
      if (revision === null) await refresh()
      while (unplaced.size > 0) await placeSome(needs, unplaced, reading, unreadable)
    },
    refresh,
  }
}

/** What is noted while we read may be newer than what we read, so it stays noted. */
async function placeSome(
  needs: Needs,
  unplaced: Map<string, boolean>,
  reading: Set<string>,
  unreadable: Unreadable,
): Promise<void> {
  const some = [...unplaced].slice(0, PLACED_AT_ONCE)
  for (const [id] of some) {
    unplaced.delete(id)
    reading.add(id)
  }
  try {
    const found = await webhooksForCourier(
      needs.database,
      some.map(([id]) => id),
    )
    for (const [id, all] of some) {
      const webhook = found.get(id)
      const isThere = webhook !== undefined && webhook.state !== 'deleted'
      const line = isThere ? openLine(needs, webhook, unreadable) : null
      const known = needs.schedule.lines.get(id)
      if (line) want(needs.schedule, line, all)
      else if (known) dropLine(needs.schedule, known)
    }
  } catch (thrown) {
    for (const [id, all] of some) unplaced.set(id, all || unplaced.get(id) === true)
    throw thrown
  } finally {
    for (const [id] of some) reading.delete(id)
  }
}

/** Null when it cannot be signed for, or when there are too many lines. */
function openLine(
  { schedule, secrets, telemetry }: Needs,
  webhook: CourierWebhook,
  unreadable: Unreadable,
): Line | null {
  const { sealed, previousSealed, previousUntilMs } = webhook.key
  const place = signingKeyPlace(webhook.id)
  try {
    const current = signingKey(secrets, sealed, place)
    const previous = previousSealed === null ? null : earlierKey(secrets, previousSealed, place)
    const keys: [string, string?] = previous === null ? [current] : [current, previous]
    return placeLine(schedule, { webhook, keys, previousKeyUntilMs: previousUntilMs ?? 0 })
  } catch {
    if (unreadable.has(webhook.id) || unreadable.size >= UNREADABLE_MAX) return null
    unreadable.add(webhook.id)
    telemetry.log('error', 'signing_key_unreadable', { webhook: webhook.id })
    return null
  }
}

function signingKey(secrets: Secrets, sealed: string, place: SealedPlace): string {
  const key = secrets.open(sealed, place)
  // A key of another form would only be noticed where it must sign, and stop everything.
  standardSignature(key, '', 0, '')
  return key
}

/** Null when it cannot be read: its rotation is what mends that, so it must not hold that up. */
function earlierKey(secrets: Secrets, sealed: string, place: SealedPlace): string | null {
  try {
    return signingKey(secrets, sealed, place)
  } catch {
    return null
  }
}

function want(schedule: Schedule, line: Line, all: boolean): void {
  line.reminders += 1
  line.wants.first = true
  if (all) {
    line.wants.retry = true
    line.wants.errors = true
  }
  enlist(schedule, line)
}

async function changedSince(database: Database, since: number): Promise<string[]> {
  const ids: string[] = []
  for (let revision = since, after: string | null = null; ; ) {
    const page = await webhooksChangedSince(database, revision, CHANGES_PAGE, after)
    for (const { id } of page) ids.push(id)
    const last = page.at(-1)
    if (!last || page.length < CHANGES_PAGE) return ids
    revision = last.revision
    after = last.id
  }
}
