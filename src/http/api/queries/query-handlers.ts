import { type CheckQueryNeeds, checkQuery } from './check-query.ts'
import { estimateQuery } from './estimate-query.ts'
import type { QueryCallNeeds } from './run-test-query.ts'
import { getQuerySchema, testQuery } from './test-query.ts'

export type QueryHandlerNeeds = QueryCallNeeds & CheckQueryNeeds

/** The calls for those who write queries. */
export const QUERY_HANDLERS = { checkQuery, estimateQuery, testQuery, getQuerySchema } as const
