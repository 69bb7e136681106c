import { Rejection } from '../../errors.ts'
import type { Network } from '../../network.ts'
import { compileQuery } from './compile-query.ts'
import type { QueryPlan } from './query-plan.ts'

/**
 * Compiles a query for one network. A query for traces is refused where no upstream is
 * configured to serve them: as a standing query it would hold up the whole network, since no
 * block is evaluated without all that its queries need.
 */
export function compileForNetwork(text: string, network: Network): QueryPlan | Rejection {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) return plan
  if (!plan.wants.traces || network.upstreams.some(({ traces }) => traces)) return plan
  return new Rejection(
    'validation',
    `graphql_query: callTracerTraces: no upstream of ${network.id} is configured with traces.`,
  )
}
