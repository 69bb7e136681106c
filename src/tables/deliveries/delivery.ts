/** Where a delivery stands: its event's number and its webhook's. */
export type DeliveryKey = { event: number; webhook: number }

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'cancelled'

/**
 * Which of a webhook's waiting deliveries are meant: new ones, those that are sent again
 * (retries, resends, replays), the one whose turn it is when all go strictly one after the
 * other, or errors, which go out while the webhook is paused too. 'ordered' is a question only:
 * nothing is stored under it.
 */
export type Lane = 'new' | 'retry' | 'ordered' | 'error'

/** All that is needed to attempt a delivery, except the text of its result. */
export type Delivery = DeliveryKey & {
  /** The public id, the same whenever the event is sent to the webhook again. */
  id: string
  webhookId: string
  teamId: string
  network: string
  kind: 'data' | 'error'
  /** Errors have neither a sequence number nor a block nor a result. */
  sequenceNumber: number | null
  blockNumber: number | null
  blockHash: string | null
  /** Which of the event's results it carries. */
  part: number | null
  /** Bytes of that result; 0 for an error. */
  dataBytes: number
  /** The message of an error. */
  error: string | null
  /** The number of the delivery before this one to the same webhook. */
  previousSequence: number | null
  replay: boolean
  createdAtMs: number
  /** Grows whenever it is sent anew: the outcome of an attempt from before does not count. */
  version: number
  /** Attempts since it was last sent anew. */
  attemptsMade: number
}
