import packageJson from '../../../package.json' with { type: 'json' }
import { PATHS } from './contract-paths.ts'
import { SCHEMAS } from './contract-schemas.ts'
import type { OpenApi } from './openapi.ts'
import type { GraphqlQuery } from './webhook-wire.ts'

export type * from './webhook-wire.ts'

/** Every error of the management API. */
export type ErrorReply = { name: string; message: string }

export type App = {
  id: string
  name: string
  description: string
  networks: readonly string[]
  is_active: boolean
  key: string
  /** The JSON-RPC address of each network that is configured now. */
  urls: Readonly<Record<string, string>>
  time_created: number
}

export type NewApp = { name: string; description?: string; networks: readonly string[] }

export type AppChange = Partial<NewApp> & { is_active?: boolean }

export type Team = {
  id: string
  name: string
  tier: string
  autoscaling: boolean
  /** Null when the tier is not configured any more. */
  limits: TierLimits | null
  time_created: number
}

export type TierLimits = {
  monthly_cu: number | null
  cu_per_second: number | null
  paid: boolean
  webhooks: number
  variable_items: number
  undelivered_bytes: number
}

export type TeamChange = { autoscaling?: boolean; tier?: string }

export type NewTeam = { name: string; tier: string }

export type TeamCreated = { id: string; token: string; token_id: string }

export type Token = { id: string; name: string; time_created: number }

export type NewToken = { name?: string }

export type TokenCreated = { id: string; token: string }

export type UsageTotals = { calls: number; cu: number; bytes: number }

export type UsageSummary = {
  month: string
  month_cu: number
  limit_cu: number | null
  remaining_cu: number | null
  percent_used: number | null
  autoscaling: boolean
  time_reset: number
  this_month: UsageTotals
  last_24_hours: UsageTotals
  last_7_days: UsageTotals
}

export type UsagePoint = {
  start: number
  group: string | null
  calls: number
  cu: number
  bytes: number
}

export type TestQuery = {
  network: string
  graphql_query: string | GraphqlQuery
  /** A number, decimal or 0x as text, or a hash; absent: the query's own, else the newest. */
  block?: number | string
}

/** What stands beside `data`, which is JSON text already. */
export type TestQueryFigures = {
  bytes: number
  cu: number
  matched: Readonly<Record<string, number>>
  empty: boolean
  block: { number: number; hash: string }
  /** Only when lists were cut. */
  truncated?: true
  truncated_fields?: readonly string[]
  truncation_reason?: string
  /** Only when there are some: team variables that the query names and the team does not have. */
  variables?: readonly string[]
}

export type TestWebhook = TestQuery & { webhook_url: string }

export type TestWebhookAttempt = {
  accepted: boolean
  /** Null when no answer came. */
  status_code: number | null
  fault: 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol' | null
  ms: { lookup: number; connect: number; answer: number; total: number }
  response_start: string
  bytes: number
  /** What a delivery of this size costs; the test costs nothing. */
  cu: number
  empty: boolean
  block: { number: number; hash: string }
  signing_key: string
  /** `body` is null when it is too long to be shown. */
  delivery: { id: string; body: string | null }
}

type UpstreamReport = {
  name: string
  state: 'used' | 'standby' | 'excluded'
  reason: string | null
  last_fault: string | null
  head: number | null
  /** Null when it never reported: that is not the same as no lag. */
  lag_blocks: number | null
  error_rate: number
  latency_ms: number | null
  in_flight: number
  /** Heads are taken from it, whatever calls do there. */
  heard: boolean
}

export type NetworkReport = {
  id: string
  slug: string
  kind: 'evm' | 'solana'
  head: { number: number; hash: string | null; age_ms: number | null } | null
  finalized: number | null
  upstreams: readonly UpstreamReport[]
  account_indexes: readonly AccountIndexReport[]
}

type AccountIndexReport = {
  program: string
  state: 'live' | 'catching_up'
  accounts: number
  slot: number | null
  finalized_slot: number | null
  lag_slots: number | null
  last_fault: string | null
}

const DESCRIPTION = [
  'Headgate gives apps access to blockchain nodes: one key, every network, with limits, metering',
  'and failover.\n\nManagement calls carry a token in the header `X-Service-Token`, or in another that the',
  'configuration names (`tokenHeaders`). They take and',
  'answer JSON; an answer is `{"data": …}`, an error `{"name": "…", "message": "…"}`. Creating',
  'something answers 200, items of a variable 201.',
].join(' ')

/** The source of the request validation and of the reference at /docs, not a copy beside them. */
export const OPEN_API: OpenApi = {
  openapi: '3.1.0',
  info: {
    title: 'Headgate',
    version: packageJson.version,
    description: DESCRIPTION,
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This instance.' }],
  tags: [
    { name: 'JSON-RPC', description: 'Access to the nodes. The key in the URL names the app.' },
    { name: 'Apps', description: 'An app has a key and the networks it may use.' },
    { name: 'Webhooks', description: 'GraphQL queries that are answered for every block.' },
    { name: 'Variables', description: 'Lists that a team’s queries name, live on the next block.' },
    { name: 'Deliveries', description: 'What was sent, how it went, and sending it again.' },
    { name: 'Usage', description: 'What was used, in calls, compute units and bytes.' },
    { name: 'Team', description: 'The team a token belongs to, its tier and its limits.' },
    { name: 'Networks', description: 'What this instance serves, and how its nodes are.' },
    { name: 'Operator', description: 'Teams and their tokens, with the operator’s token only.' },
    { name: 'Operating', description: 'For load balancers and monitoring.' },
  ],
  paths: PATHS,
  components: {
    schemas: SCHEMAS,
    securitySchemes: {
      teamToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Service-Token',
        description: 'A team’s token.',
      },
      operatorToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Service-Token',
        description: 'The operator’s token; for a team’s calls with `X-Team-Id` beside it.',
      },
    },
  },
}
