import { APP_PATHS } from './calls/contract-app-calls.ts'
import { DELIVERY_PATHS } from './calls/contract-delivery-calls.ts'
import { GATEWAY_PATHS } from './calls/contract-gateway-calls.ts'
import { OPERATOR_PATHS } from './calls/contract-operator-calls.ts'
import { QUERY_PATHS } from './calls/contract-query-calls.ts'
import { REPLAY_PATHS } from './calls/contract-replay-calls.ts'
import { TEAM_PATHS } from './calls/contract-team-calls.ts'
import { VARIABLE_PATHS } from './calls/contract-variable-calls.ts'
import { WEBHOOK_PATHS } from './calls/contract-webhook-calls.ts'
import type { Paths } from './openapi.ts'

/** Every call, in the order of the reference. */
export const PATHS: Paths = {
  ...GATEWAY_PATHS,
  ...APP_PATHS,
  ...WEBHOOK_PATHS,
  ...QUERY_PATHS,
  ...VARIABLE_PATHS,
  ...DELIVERY_PATHS,
  ...REPLAY_PATHS,
  ...TEAM_PATHS,
  ...OPERATOR_PATHS,
}
