import { dataBody, errorBody } from '../core/delivery/envelope.ts'
import type { ReadyDelivery } from '../tables/delivery-claims.ts'
import type { Parcel } from './parcel.ts'
import type { ResultCache } from './result-cache.ts'

/** Gives each parcel its body, unless its result is lost. */
export async function makeBodies(results: ResultCache, parcels: readonly Parcel[]): Promise<void> {
  await Promise.all(
    parcels.map(async (parcel) => {
      parcel.body = await bodyOf(results, parcel.row)
      parcel.bodyBytes = parcel.body === null ? 0 : Buffer.byteLength(parcel.body)
    }),
  )
}

/** Null when the result is not there, which nothing but damage to the store explains. */
async function bodyOf(results: ResultCache, row: ReadyDelivery): Promise<string | null> {
  const { id: deliveryId, webhookId, createdAtMs, network, sequenceNumber, part } = row
  const envelope = { webhookId, deliveryId, createdAtMs }
  if (row.kind === 'error') return errorBody({ ...envelope, message: row.error ?? '' })
  if (sequenceNumber === null || part === null) return null

  const result = await results.get(network, sequenceNumber, part)
  if (!result) return null
  const { truncation, data } = result
  return dataBody({ ...envelope, network, sequenceNumber, truncation }, data)
}
