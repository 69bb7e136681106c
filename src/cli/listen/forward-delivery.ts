import { type AnswerOf, ApiError, type Client } from '@headgate/client'
import { backoffMs } from '../../core/async/backoff.ts'
import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'

export type Forwarded = {
  /** `lost`: its body is not kept any more. `down`: nobody listens at the local address. */
  outcome: 'accepted' | 'refused' | 'down' | 'timeout' | 'lost'
  status: number | null
  ms: number
  tries: number
  bytes: number
}

export type Forwarding = {
  /** A client that leaves every text as it is. */
  client: Client
  clock: Clock
  outbound: Outbound
  target: string
  /** Tells of a try in vain after which another follows. */
  failedTry(why: string, waitMs: number): void
}

type Detail = AnswerOf<'getDelivery'>['data']
type Answered = { outcome: Forwarded['outcome']; status: number | null }

/** Tries at an app that is down; with fewer where it was down for the delivery before, too. */
export const TRIES_MAX = 5
const WAITS = { minMs: 500, maxMs: 4000 }

const APP_MS_MAX = 30_000

/** Receivers refuse signatures of more than five minutes ago. */
const SIGNATURE_AGE_S_MAX = 120

const NO_HEADERS = {}

/** Waits between calls that the service put off, or could not take. */
const API_WAITS = { minMs: 500, maxMs: 10_000 }
const API_TRIES_MAX = 20

/** Hands the exact bytes and headers of a delivery to the local app. */
export async function forwardDelivery(
  forwarding: Forwarding,
  id: string,
  triesMax: number,
): Promise<Forwarded> {
  for (let tries = 1; ; tries++) {
    // Read anew for each try, so that its signature is never too old.
    const detail = await signedDelivery(forwarding, id)
    if (!detail?.body || !detail.headers) {
      return { outcome: 'lost', status: null, ms: 0, tries, bytes: 0 }
    }
    const sent = await post(forwarding, detail.body, detail.headers)
    if (sent.outcome !== 'down' || tries >= triesMax) {
      return { ...sent, tries, bytes: Buffer.byteLength(detail.body) }
    }
    const waitMs = backoffMs(WAITS, tries)
    forwarding.failedTry('nobody listens there', waitMs)
    await forwarding.clock.sleep(waitMs)
  }
}

/** With the headers of its last attempt, unless it had none or a receiver would refuse them. */
async function signedDelivery(forwarding: Forwarding, id: string): Promise<Detail | null> {
  const sent = await readDelivery(forwarding, id, 'last')
  if (sent === null) return null
  const { headers } = sent
  const ageS = forwarding.clock.nowMs() / 1000 - Number(headers?.['webhook-timestamp'] ?? 0)
  const isGood = headers?.['webhook-signature'] !== undefined && ageS < SIGNATURE_AGE_S_MAX
  return isGood ? sent : readDelivery(forwarding, id, 'now')
}

/** Null where the log has it no more. Waits while the service is away or asks for patience. */
async function readDelivery(
  { client, clock }: Forwarding,
  id: string,
  sign: 'last' | 'now',
): Promise<Detail | null> {
  for (let tries = 1; ; tries++) {
    try {
      return (await client.call('getDelivery', { parameters: { id, sign } })).data
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      if (thrown.status === 404) return null
      const mayPass = thrown.status === 0 || thrown.status === 429 || thrown.status >= 500
      if (!mayPass || tries >= API_TRIES_MAX) throw thrown
      await clock.sleep(Math.max(thrown.retryAfterS * 1000, backoffMs(API_WAITS, tries)))
    }
  }
}

async function post(
  { clock, outbound, target }: Forwarding,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answered & { ms: number }> {
  const sentAtMs = clock.monotonicMs()
  const answered = Promise.withResolvers<Answered>()
  const cancel = outbound.post(
    { url: target, body, headers: NO_HEADERS, callHeaders: headers, repeatable: false },
    {
      answered(answer) {
        const { status } = answer
        const outcome = status >= 200 && status < 300 ? 'accepted' : 'refused'
        // Read to its end, so that its connection can be used again.
        answer.text().catch(() => {})
        answered.resolve({ outcome, status })
      },
      lost: () => answered.resolve({ outcome: 'down', status: null }),
    },
    null,
  )
  const late = () => {
    cancel()
    return { outcome: 'timeout' as const, status: null }
  }
  const outcome = await within(clock, APP_MS_MAX, answered.promise, late)
  return { ...outcome, ms: clock.monotonicMs() - sentAtMs }
}
