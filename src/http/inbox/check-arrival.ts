import type { Database } from '../../ports/database.ts'
import { signingKeyPlace } from '../../ports/secrets.ts'
import type { World } from '../../ports/world.ts'
import { type Delivery, isSequenceNumber, readDelivery } from '../../receiver/delivery.ts'
import { oneHeader } from '../../receiver/delivery-headers.ts'
import { hasPlainSignature } from '../../receiver/signatures.ts'
import { verifyDelivery } from '../../receiver/verify-delivery.ts'
import { findDelivery } from '../../tables/deliveries/log/delivery-page.ts'
import {
  type CourierWebhook,
  webhookNumbers,
  webhooksForCourier,
} from '../../tables/webhooks/courier-webhooks.ts'
import type { WireArrival } from '../contract/contract.ts'

type Posted = { body: Uint8Array; headers: Headers }

export type CheckedArrival = Pick<WireArrival, 'signature' | 'signature_fault'> & {
  /** Null when it is no delivery. */
  delivery: Delivery | null
  /** The height, also where the query does not ask for it. */
  blockNumber: number | null
}

const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
const PLAIN = 'x-service-signature'
const PLAIN_PREVIOUS = 'x-service-signature-previous'

export async function checkArrival(world: World, posted: Posted): Promise<CheckedArrival> {
  const { body, headers } = posted
  const previous = oneHeader(headers, 'x-headgate-previous')
  const delivery = readDelivery(new TextDecoder().decode(body), {
    previousSequence: isSequenceNumber(previous) ? previous : null,
    isReplay: oneHeader(headers, 'x-headgate-replay') === '1',
  })
  const webhook = delivery && (await findWebhookOf(world.database, delivery.webhookId))
  const blockNumber = await heightOf(world.database, delivery, webhook)
  const read = { delivery, blockNumber }

  const isSigned = [...STANDARD, PLAIN].some((name) => headers.has(name))
  if (!isSigned) return { ...read, signature: 'missing', signature_fault: 'no header signs it' }
  if (!webhook) return { ...read, signature: 'unknown webhook', signature_fault: NO_WEBHOOK }

  const fault = await signatureFault(world, posted, keysOf(world, webhook))
  return { ...read, signature: fault === null ? 'valid' : 'invalid', signature_fault: fault }
}

const NO_WEBHOOK = 'the body names no webhook of this instance'

async function findWebhookOf(database: Database, id: string): Promise<CourierWebhook | null> {
  const number = (await webhookNumbers(database, [id])).get(id)
  if (number === undefined) return null
  return (await webhooksForCourier(database, [number])).get(number) ?? null
}

async function heightOf(
  database: Database,
  delivery: Delivery | null,
  webhook: CourierWebhook | null,
): Promise<number | null> {
  if (delivery?.kind !== 'data') return null
  if (delivery.blockNumber !== null || !webhook) return delivery.blockNumber
  return (await findDelivery(database, webhook.teamId, delivery.id))?.blockNumber ?? null
}

/** The key, and for a day after a rotation the one before it. */
function keysOf({ secrets }: World, { id, key }: CourierWebhook): string[] {
  const sealed = [key.sealed, key.previousSealed].filter((one) => one !== null)
  return sealed.map((one) => secrets.open(one, signingKeyPlace(id)))
}

/** Both kinds of signature have to hold, where both are there. */
async function signatureFault(
  { clock }: World,
  { body, headers }: Posted,
  signingKeys: readonly string[],
): Promise<string | null> {
  if (STANDARD.some((name) => headers.has(name))) {
    const verified = await verifyDelivery({ body, headers, signingKeys, nowMs: clock.nowMs() })
    if (!verified.ok) return verified.message
  }
  const signatures = [PLAIN, PLAIN_PREVIOUS]
    .map((name) => headers.get(name))
    .filter((one) => one !== null)
  for (const signature of signatures) {
    if (!(await hasPlainSignature(signingKeys, signature, body))) {
      return `${PLAIN} is of no key of the webhook`
    }
  }
  return null
}
