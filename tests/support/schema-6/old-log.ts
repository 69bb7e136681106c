import type { LoggedDelivery } from './api.ts'

/** What attempts say they waited in, which had other names. */
const QUEUES: Readonly<Record<string, string>> = {
  first: 'new',
  retry: 'retry',
  ordered: 'ordered',
  errors: 'error',
}

/** The fields that the log has had since. */
type ShownSince = Record<'rerun' | 'superseded' | 'status_code' | 'fault' | 'took_ms', unknown>

/** A delivery as the log shows it today, when everything happened so much later. */
export function asItWas(one: LoggedDelivery, shiftMs: number): LoggedDelivery & ShownSince {
  const moved = (ms: number | null) => (ms === null ? null : ms + shiftMs)
  const last = one.attempts.at(-1)
  return {
    ...one,
    rerun: false,
    superseded: false,
    status_code: last?.status_code ?? null,
    fault: last?.fault ?? null,
    took_ms: (last?.ms as { total: number } | undefined)?.total ?? null,
    body: one.body === null ? null : bodyOf(one, shiftMs),
    attempts: attemptsOf(one, shiftMs),
    time_created: one.time_created + shiftMs,
    time_due: moved(one.time_due),
    time_done: moved(one.time_done),
  }
}

/** The same once it has arrived, but for the time and the attempt of that. */
export function asDelivered(one: LoggedDelivery, shiftMs: number): object {
  const { time_done: _, attempts: __, took_ms: ___, ...was } = asItWas(one, shiftMs)
  const bytes = Buffer.byteLength(bodyOf(one, shiftMs))
  const attempts_made = one.attempts_made + 1
  const answered = { status_code: 200, fault: null }
  return { ...was, ...answered, status: 'delivered', attempts_made, bytes, time_due: null }
}

export function attemptsOf(
  { attempts }: LoggedDelivery,
  shiftMs: number,
): LoggedDelivery['attempts'] {
  return attempts.map(({ lane, time_started, ms, ...rest }) => ({
    ...rest,
    ms: { ...(ms as object), tls: 0 },
    time_started: Number(time_started) + shiftMs,
    queue: QUEUES[String(lane)],
  }))
}

/** A body says when its delivery was made. */
export function bodyOf({ body, time_created }: LoggedDelivery, shiftMs: number): string {
  const iso = (ms: number) => new Date(ms).toISOString()
  return (body ?? '').replace(iso(time_created), iso(time_created + shiftMs))
}

/** The newest sequence number that each webhook has a delivery of. */
export function lastNumbers(log: readonly LoggedDelivery[]): Map<string, string> {
  const numbers = new Map<string, string>()
  for (const { webhook_id, kind, body } of log) {
    if (kind === 'error') continue
    const number: string = JSON.parse(body ?? '{}').event?.sequenceNumber ?? ''
    if (number > (numbers.get(webhook_id) ?? '')) numbers.set(webhook_id, number)
  }
  return numbers
}
