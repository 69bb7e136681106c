import { hashKey } from '../key-hash.ts'

const LENGTH = 16

/** The same for the same webhook and event, so that a receiver can drop repeats. */
export function deliveryId(webhookId: string, sequenceNumber: number): string {
  const hash = BigInt(`0x${hashKey(`${webhookId}:${sequenceNumber}`)}`)
  return `whevt_${hash.toString(36).padStart(LENGTH, '0').slice(-LENGTH)}`
}
