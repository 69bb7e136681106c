import { dataBody, errorBody } from '../../core/delivery/envelope.ts'
import type { ReadyDelivery, StoredResult } from '../../tables/deliveries/delivery-claims.ts'
import type { Parcel } from './parcel.ts'
import type { ResultCache } from './result-cache.ts'

/** Gives each parcel its body, unless its result is lost. */
export async function makeBodies(results: ResultCache, parcels: readonly Parcel[]): Promise<void> {
  const later: Promise<void>[] = []
  for (const parcel of parcels) {
    const result = resultFor(results, parcel.row)
    // Mostly it is at hand, and a promise for each would cost more than to write its body.
    if (result instanceof Promise) later.push(result.then((found) => fill(parcel, found)))
    else fill(parcel, result)
  }
  await Promise.all(later)
}

function resultFor(results: ResultCache, row: ReadyDelivery) {
  const { kind, network, sequenceNumber, part } = row
  if (kind === 'error' || sequenceNumber === null || part === null) return null
  return results.get(network, sequenceNumber, part)
}

function fill(parcel: Parcel, result: StoredResult | null): void {
  parcel.body = bodyOf(parcel.row, result)
  parcel.bodyBytes = parcel.body === null ? 0 : Buffer.byteLength(parcel.body)
}

/** Null when the result is not there, which nothing but damage to the store explains. */
function bodyOf(row: ReadyDelivery, result: StoredResult | null): string | null {
  const { id: deliveryId, webhookId, createdAtMs, network, sequenceNumber } = row
  const envelope = { webhookId, deliveryId, createdAtMs }
  if (row.kind === 'error') return errorBody({ ...envelope, message: row.error ?? '' })
  if (sequenceNumber === null || result === null) return null
  const { truncation, data } = result
  return dataBody({ ...envelope, network, sequenceNumber, truncation }, data)
}
