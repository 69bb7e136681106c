import type { DataDelivery, Delivery } from './delivery.ts'
import type { DeliveryHeaders } from './delivery-headers.ts'
import { memoryStore, type ReceiverStore, type Taken } from './memory-store.ts'
import { signingKeysOf } from './signatures.ts'
import {
  type Refusal,
  toleranceOf,
  type Verified,
  type VerifyOptions,
  verifyDelivery,
} from './verify-delivery.ts'

export type { DataDelivery, Delivery, ErrorDelivery } from './delivery.ts'
export type { DeliveryHeaders } from './delivery-headers.ts'
export { memoryStore, type ReceiverStore, type Taken } from './memory-store.ts'
export {
  type Refusal,
  type RefusalReason,
  type Verified,
  type VerifyOptions,
  verifyDelivery,
} from './verify-delivery.ts'

export type ReceiverOptions = Pick<
  VerifyOptions,
  'signingKeys' | 'toleranceS' | 'acceptUntimed'
> & {
  /**
   * Called once for each delivery, one after the other for the versions of one block. When it
   * throws, so does `receive`; answer with a 5xx, and the delivery comes again.
   */
  onDelivery(delivery: Delivery, notes: Notes): Promise<void> | void
  /** Default: in memory. */
  store?: ReceiverStore
  /**
   * Hand replayed deliveries over although they were taken before. One that is sent again from a
   * recording is still a repeat.
   */
  takeReplays?: boolean
  nowMs?(): number
}

export type Notes = {
  /**
   * The sequence number of the delivery before this one, when that one has not been taken.
   * It may still come: a delivery that failed is tried again later and holds up nobody.
   */
  missing: string | null
}

/** The outcome of a request, and the status to answer it with. */
export type Received =
  | { kind: 'taken'; status: 200; delivery: Delivery; missing: string | null }
  /** It was taken before; nobody was called. */
  | { kind: 'repeat'; status: 200; delivery: Delivery }
  /** A newer version of its block was taken before; nobody was called. */
  | { kind: 'stale'; status: 200; delivery: DataDelivery; newest: string }
  | { kind: 'refused'; status: 400 | 401; refusal: Refusal }
  /** Too many at once; it comes again. */
  | { kind: 'busy'; status: 503 }

export type Receiver = {
  receive(request: { body: string | Uint8Array; headers: DeliveryHeaders }): Promise<Received>
}

type Accepted = Exclude<Verified, Refusal>

/** Each waiting request holds its body in memory. */
const UNDER_WAY_MAX = 1000

/** Verifies deliveries, drops repeats and old versions of blocks, and hands over the others. */
export function openReceiver(options: ReceiverOptions): Receiver {
  // A wrong option is found at the start and not with the first delivery.
  signingKeysOf(options.signingKeys)
  toleranceOf(options.toleranceS)
  const store = options.store ?? memoryStore()
  const pending = new Map<string, Promise<void>>()
  let underWay = 0

  return {
    async receive({ body, headers }) {
      if (underWay >= UNDER_WAY_MAX) return { kind: 'busy', status: 503 }
      underWay += 1
      try {
        const { signingKeys, toleranceS, acceptUntimed, nowMs } = options
        const verified = await verifyDelivery({
          body,
          headers,
          signingKeys,
          ...(toleranceS === undefined ? {} : { toleranceS }),
          ...(acceptUntimed === undefined ? {} : { acceptUntimed }),
          ...(nowMs === undefined ? {} : { nowMs: nowMs() }),
        })
        if (!verified.ok) return refused(verified)
        const name = blockOf(verified.delivery) ?? verified.delivery.id
        return await serialized(pending, name, () => take(options, store, verified))
      } finally {
        underWay -= 1
      }
    },
  }
}

async function take(
  { onDelivery, takeReplays = false }: ReceiverOptions,
  store: ReceiverStore,
  { delivery, timestampS }: Accepted,
): Promise<Received> {
  const attempts = takeReplays && timestampS !== null ? [attemptOf(delivery, timestampS)] : []
  if (await store.knows(delivery.id)) {
    const isWanted = delivery.isReplay && (await isNewest(store, attempts))
    if (!isWanted) {
      if (attempts.length > 0) await store.remember({ marks: [], numbers: attempts })
      return { kind: 'repeat', status: 200, delivery }
    }
  }

  if (delivery.kind === 'error') {
    await onDelivery(delivery, { missing: null })
    await store.remember({ marks: [delivery.id], numbers: attempts })
    return { kind: 'taken', status: 200, delivery, missing: null }
  }

  const { sequenceNumber } = delivery
  const block = blockOf(delivery)
  const versions = block === null ? [] : [{ name: block, number: sequenceNumber }]
  const taken = {
    marks: [delivery.id, sequenceMark(delivery, sequenceNumber), delivery.webhookId],
    numbers: [...versions, ...attempts],
  }
  const newest = block === null ? null : await store.highest(block)
  if (newest !== null && BigInt(newest) > BigInt(sequenceNumber)) {
    await store.remember(taken)
    return { kind: 'stale', status: 200, delivery, newest }
  }

  const missing = await missingBefore(store, delivery)
  await onDelivery(delivery, { missing })
  // Remembered only now: a delivery that could not be handled must not be dropped later.
  await store.remember(taken)
  return { kind: 'taken', status: 200, delivery, missing }
}

/**
 * The header that marks a replay is not signed, but the time of each attempt is. A replay is
 * sent after every attempt before it, so a recorded request that is sent again is too old.
 */
async function isNewest(store: ReceiverStore, attempts: Taken['numbers']): Promise<boolean> {
  const [attempt] = attempts
  if (attempt === undefined) return false
  const known = await store.highest(attempt.name)
  return known === null || BigInt(attempt.number) > BigInt(known)
}

function attemptOf({ id }: Delivery, timestampS: number) {
  return { name: `${id} attempt`, number: `${timestampS}` }
}

async function missingBefore(store: ReceiverStore, delivery: DataDelivery): Promise<string | null> {
  const { previousSequence, webhookId, isReplay } = delivery
  // A replay brings old blocks, and what came before those may be long forgotten.
  if (previousSequence === null || isReplay) return null
  // To a store that is new to a webhook everything would be missing.
  if (!(await store.knows(webhookId))) return null
  return (await store.knows(sequenceMark(delivery, previousSequence))) ? null : previousSequence
}

function sequenceMark({ webhookId }: Delivery, sequenceNumber: string): string {
  return `${webhookId} number ${sequenceNumber}`
}

/** A webhook has one network, so its id and a height name a block of a chain. */
function blockOf(delivery: Delivery): string | null {
  if (delivery.kind === 'error' || delivery.blockNumber === null) return null
  return `${delivery.webhookId} block ${delivery.blockNumber}`
}

function refused(refusal: Refusal): Received {
  return { kind: 'refused', status: refusal.reason === 'body_malformed' ? 400 : 401, refusal }
}

/** Runs work one after the other for each name, whether or not earlier work failed. */
async function serialized<T>(
  pending: Map<string, Promise<void>>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = pending.get(name) ?? Promise.resolve()
  const result = before.then(work)
  const over = result.then(nothing, nothing)
  pending.set(name, over)
  try {
    return await result
  } finally {
    if (pending.get(name) === over) pending.delete(name)
  }
}

function nothing(): void {}
