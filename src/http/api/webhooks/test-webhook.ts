import { cuOf } from '../../../core/billing/plan.ts'
import { NO_USABLE_ADDRESS } from '../../../core/delivery/check-destination.ts'
import { deliveryPriceCentiCu } from '../../../core/delivery/delivery-price.ts'
import { isAccepted } from '../../../core/delivery/retry-schedule.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Egress, EgressOutcome, EgressRequest } from '../../../ports/egress.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { TestWebhook, TestWebhookAttempt } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'
import { type QueryCallNeeds, runTestQuery } from '../queries/run-test-query.ts'
import { testDelivery } from './test-delivery.ts'
import type { TestSendLimiter } from './test-send-limiter.ts'

export type TestWebhookNeeds = QueryCallNeeds & {
  egress: Pick<Egress, 'vet'>
  entropy: Entropy
  testSends: TestSendLimiter
  /** One attempt, which may take as long as any. */
  attempt(request: Omit<EgressRequest, 'timeoutMs'>): Promise<EgressOutcome>
}

type TestReply = { data: TestWebhookAttempt }

/** A result may have ten megabytes, and nobody reads that much to find a mistake. */
const SHOWN_BODY_BYTES_MAX = 256 * 1024

const REFUSED_URL = `webhook_url: ${NO_USABLE_ADDRESS}.`

export const testWebhook: Handler<'testWebhook', TestWebhookNeeds> = async (needs, call) => {
  const teamId = call.team.id
  const refused = needs.testSends.take(teamId)
  if (refused) return refused

  return needs.dryRuns.run(teamId, () => sendOnce(needs, teamId, call.body))
}

async function sendOnce(
  needs: TestWebhookNeeds,
  teamId: string,
  { webhook_url: url, ...asked }: TestWebhook,
): Promise<TestReply | Rejection> {
  if ((await needs.egress.vet(url, teamId)) !== null)
    return new Rejection('validation', REFUSED_URL)

  const ran = await runTestQuery(needs, teamId, asked)
  if (ran instanceof Rejection) return ran

  const { id, body, bytes, signingKey, headers } = testDelivery(needs, asked.network, ran)
  const { status, fault, ms, bodyStart } = await needs.attempt({ url, teamId, body, headers })
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
