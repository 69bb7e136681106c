import { openTimeSlices } from '../core/async/time-slices.ts'
import { Rejection } from '../core/errors.ts'
import { compileQuery } from '../core/query/language/compile-query.ts'
import type { QueryPlan } from '../core/query/language/query-plan.ts'
import type { World } from '../ports/world.ts'
import { type StandingWebhook, webhooksChangedSince } from '../tables/webhooks/webhooks.ts'

/** A webhook that changed, with what its query became; null for one that does not stand. */
export type ChangedQuery = { webhook: StandingWebhook; plan: QueryPlan | null }

const PAGE = 100

/**
 * The webhooks that changed after a revision, oldest change first. Compiling 100,000 takes most of
 * a minute, in which everything else must go on.
 */
export async function* changedQueries(world: World, since: number): AsyncGenerator<ChangedQuery> {
  const slices = openTimeSlices(world.clock)
  for (let revision = since, after: string | null = null; ; ) {
    const page = await webhooksChangedSince(world.database, revision, PAGE, after)
    for (const webhook of page) {
      yield { webhook, plan: planOf(world, webhook) }
      await slices.rest()
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    revision = last.revision
    after = last.id
  }
}

function planOf(
  { telemetry }: World,
  { id, network, query, state }: StandingWebhook,
): QueryPlan | null {
  if (state !== 'active') return null
  const plan = compileQuery(query)
  if (!(plan instanceof Rejection)) return plan
  // The query was accepted once; only another version of the rules can refuse it now.
  telemetry.log('error', 'query_unreadable', { network, webhook: id, reason: plan.message })
  return null
}
