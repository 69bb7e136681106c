import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { dataBody } from '../../../core/delivery/envelope.ts'
import { deliveryHeaders } from '../../../core/delivery/signature.ts'
import type { DryRun } from '../../../follower/dry-run.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'

type Needs = { clock: Clock; entropy: Entropy }

/** A delivery of no webhook, like a real one in everything that a receiver sees. */
type TestDelivery = {
  id: string
  body: string
  bytes: number
  /** Signs this one and nothing else ever. */
  signingKey: string
  headers: Readonly<Record<string, string>>
}

/** As long as those of a real webhook. */
const ID_LENGTH = 16
const KEY_LENGTH = 24

export function testDelivery(
  { clock, entropy }: Needs,
  network: string,
  { header, outcome }: DryRun,
): TestDelivery {
  const webhookId = `wh_${entropy.alphanumeric(ID_LENGTH)}`
  // Below the numbers of all events: at no receiver it takes the place of what is real.
  const sequenceNumber = header.number
  const id = deliveryId(webhookId, sequenceNumber)
  const { truncation } = outcome
  const createdAtMs = clock.nowMs()
  const envelope = { webhookId, deliveryId: id, createdAtMs, network, sequenceNumber, truncation }
  const body = dataBody(envelope, outcome.text)
  const signingKey = `whsec_${entropy.alphanumeric(KEY_LENGTH)}`
  const headers = deliveryHeaders({
    keys: [signingKey],
    deliveryId: id,
    timestampS: Math.floor(createdAtMs / 1000),
    body,
    previousSequence: null,
    replay: false,
  })
  return { id, body, bytes: Buffer.byteLength(body), signingKey, headers }
}
