/** A result as it is due to one webhook. `part` says which of the event's results it is. */
export type NewDelivery = {
  id: string
  webhookId: string
  teamId: string
  network: string
  sequenceNumber: number
  blockNumber: number
  blockHash: string
  part: number
  dataBytes: number
  previousSequence: number | null
  createdAtMs: number
}
