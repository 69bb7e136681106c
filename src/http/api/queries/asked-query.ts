import { Rejection } from '../../../core/errors.ts'
import type { QueryPlan } from '../../../core/query/language/query-plan.ts'
import { otherKindThanUsed } from '../../../tables/webhooks/webhook-variables.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { TestQuery } from '../../contract/contract.ts'
import type { ManagementApi } from '../management-api.ts'
import { evmService } from './evm-service.ts'
import { variableKindRefusal } from './variable-kind.ts'

/** A query that can be run on the blocks of a network. */
type AskedQuery = { service: NetworkService; plan: QueryPlan }

/** The query in the body of a call, compiled for its network and the team's variables. */
export async function readAskedQuery(
  api: ManagementApi,
  teamId: string,
  asked: Pick<TestQuery, 'network' | 'graphql_query'>,
): Promise<AskedQuery | Rejection> {
  const service = evmService(api, asked.network)
  if (service instanceof Rejection) return service

  const plan = api.limits.queries.compile(teamId, textOf(asked.graphql_query), service.network)
  if (plan instanceof Rejection) return plan

  const variable = await otherKindThanUsed(api.database, teamId, plan.variables)
  return variable ? variableKindRefusal(variable) : { service, plan }
}

/** The text of a query, which may be given alone. */
export function textOf(query: TestQuery['graphql_query']): string {
  return typeof query === 'string' ? query : query.query
}
