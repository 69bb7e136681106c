import { cuOf } from '../../../core/billing/plan.ts'
import { deliveryPriceCentiCu } from '../../../core/delivery/delivery-price.ts'
import { Rejection } from '../../../core/errors.ts'
import { SCHEMA_TEXT } from '../../../core/query/language/query-schema.ts'
import type { DryRun } from '../../../follower/dry-run.ts'
import type { TestQueryResult } from '../../contract/contract.ts'
import { jsonTextReply, plainTextReply } from '../calls/api-reply.ts'
import type { Handler } from '../calls/handler.ts'
import { runTestQuery } from './asked-query.ts'

/** The schema that queries are written against; they may not introspect it themselves. */
export const getQuerySchema: Handler<'getQuerySchema'> = async () => {
  return plainTextReply(SCHEMA_TEXT)
}

export const testQuery: Handler<'testQuery'> = (api, call) => {
  const teamId = call.team.id
  return api.limits.dryRuns.run(teamId, async () => {
    const ran = await runTestQuery(api, teamId, call.body)
    return ran instanceof Rejection ? ran : jsonTextReply(replyText(ran))
  })
}

/** The result is put in as it stands: its numbers may have more digits than a double holds. */
function replyText({ header, outcome, bodyBytes, missingVariables }: DryRun): string {
  const { truncation } = outcome
  const figures: Omit<TestQueryResult, 'data'> = {
    bytes: bodyBytes,
    cu: cuOf(deliveryPriceCentiCu(bodyBytes)),
    matched: outcome.matched,
    empty: outcome.empty,
    block: { number: header.number, hash: header.hash },
    ...(truncation && {
      truncated: true,
      truncated_fields: truncation.fields,
      truncation_reason: truncation.reason,
    }),
    ...(missingVariables.length > 0 && { variables: missingVariables }),
  }
  return `{"data":${outcome.text},${JSON.stringify(figures).slice(1)}`
}
