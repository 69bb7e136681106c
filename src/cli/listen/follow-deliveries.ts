import type { Client } from '@headgate/client'
import type { ListedDelivery } from './delivery-log.ts'

export type FollowNeeds = {
  client: Client
  /** The stream is open, for the first time or again: the log may have more. */
  opened(): void
  /** A delivery changed; null where too much did, and the log has to be read. */
  heard(delivery: ListedDelivery | null): void
  /** The stream is lost, and is tried again after a while. */
  lost(): void
}

/** Follows the stream of events until `ended`, over every loss of it. */
export async function followDeliveries(
  { client, opened, heard, lost }: FollowNeeds,
  ended: AbortSignal,
): Promise<void> {
  const events = client.events({
    topics: ['deliveries'],
    onOpen: opened,
    onLost: lost,
    signal: ended,
  })
  for await (const { name, data } of events) {
    if (name === 'gap') heard(null)
    if (name === 'delivery') heard(data)
  }
}
