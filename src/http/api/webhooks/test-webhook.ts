import { cuOf } from '../../../core/billing/plan.ts'
import { NO_USABLE_ADDRESS } from '../../../core/delivery/check-destination.ts'
import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { deliveryPriceCentiCu } from '../../../core/delivery/delivery-price.ts'
import { dataBody } from '../../../core/delivery/envelope.ts'
import { isAccepted } from '../../../core/delivery/retry-schedule.ts'
import { deliveryHeaders } from '../../../core/delivery/signature.ts'
import { Rejection } from '../../../core/errors.ts'
import type { DryRun } from '../../../follower/dry-run.ts'
import type { TestWebhook, TestWebhookAttempt } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'
import type { ManagementApi } from '../management-api.ts'
import { runTestQuery } from '../queries/asked-query.ts'
import { ID_LENGTH, newSigningKey } from './webhook-call-parts.ts'

/** A result may have ten megabytes, and nobody reads that much to find a mistake. */
const SHOWN_BODY_BYTES_MAX = 256 * 1024

const REFUSED_URL = `webhook_url: ${NO_USABLE_ADDRESS}.`

export const testWebhook: Handler<'testWebhook'> = async (api, call) => {
  const teamId = call.team.id
  const refused = api.limits.testSends.take(teamId)
  if (refused) return refused

  return api.limits.dryRuns.run(teamId, () => sendOnce(api, teamId, call.body))
}

async function sendOnce(
  api: ManagementApi,
  teamId: string,
  { webhook_url: url, ...asked }: TestWebhook,
): Promise<{ data: TestWebhookAttempt } | Rejection> {
  if ((await api.egress.vet(url, teamId)) !== null) return new Rejection('validation', REFUSED_URL)

  const ran = await runTestQuery(api, teamId, asked)
  if (ran instanceof Rejection) return ran

  const { id, body, bytes, signingKey, headers } = testDelivery(api, asked.network, ran)
  const { status, fault, ms, bodyStart } = await api.attempt({ url, teamId, body, headers })
  // The name may have come to mean something else since it was looked at.
  if (fault === 'refused_address') return new Rejection('validation', REFUSED_URL)

  return {
    data: {
      accepted: fault === null && isAccepted(status),
      status_code: status,
      fault,
      ms,
      response_start: bodyStart,
      bytes,
      cu: cuOf(deliveryPriceCentiCu(bytes)),
      empty: ran.outcome.empty,
      block: { number: ran.header.number, hash: ran.header.hash },
      signing_key: signingKey,
      delivery: { id, body: bytes <= SHOWN_BODY_BYTES_MAX ? body : null },
    },
  }
}

/** A delivery of no webhook, like a real one in everything that a receiver sees. */
function testDelivery(api: ManagementApi, network: string, { header, outcome }: DryRun) {
  const webhookId = `wh_${api.entropy.alphanumeric(ID_LENGTH)}`
  // Below the numbers of all events: at no receiver it takes the place of what is real.
  const sequenceNumber = header.number
  const id = deliveryId(webhookId, sequenceNumber)
  const { truncation } = outcome
  const createdAtMs = api.clock.nowMs()
  const envelope = { webhookId, deliveryId: id, createdAtMs, network, sequenceNumber, truncation }
  const body = dataBody(envelope, outcome.text)
  // Signs this one and nothing else ever.
  const signingKey = newSigningKey(api)
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
