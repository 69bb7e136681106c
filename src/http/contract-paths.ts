import { APP_PATHS } from './contract-app-calls.ts'
import { DELIVERY_PATHS } from './contract-delivery-calls.ts'
import { GATEWAY_PATHS } from './contract-gateway-calls.ts'
import { OPERATOR_PATHS } from './contract-operator-calls.ts'
import { QUERY_PATHS } from './contract-query-calls.ts'
import { REPLAY_PATHS } from './contract-replay-calls.ts'
import { TEAM_PATHS } from './contract-team-calls.ts'
import { VARIABLE_PATHS } from './contract-variable-calls.ts'
import { WEBHOOK_PATHS } from './contract-webhook-calls.ts'
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
