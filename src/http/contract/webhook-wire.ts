export type GraphqlQuery = { query: string; skip_empty_messages?: boolean }

export type Webhook = {
  id: string
  /** Empty when none was given. */
  name: string
  network: string
  webhook_type: 'GRAPHQL'
  webhook_url: string
  is_active: boolean
  state: 'active' | 'paused'
  deactivation_reason:
    | 'MANUAL'
    | 'MONTHLY_CAPACITY_EXCEEDED'
    | 'DESTINATION_GONE'
    | 'BACKLOG_FULL'
    | null
  time_created: number
  signing_key: string
  /** Null unless a rotation is prepared. */
  next_signing_key: string | null
  version: 'V2'
  graphql_query: Required<GraphqlQuery>
  app_id: string | null
  ordered: boolean
  notify_removed: boolean
}

export type NewWebhook = {
  network: string
  webhook_type: 'GRAPHQL'
  webhook_url: string
  graphql_query: string | GraphqlQuery
  name?: string
  app_id?: string | null
  ordered?: boolean
  notify_removed?: boolean
}

/** What is absent stays as it is. */
export type WebhookChange = {
  webhook_id: string
  is_active?: boolean
  name?: string
  webhook_url?: string
  graphql_query?: string | Partial<GraphqlQuery>
  ordered?: boolean
  notify_removed?: boolean
}

/** `prepare` only shows the key that the next rotation switches to. */
export type KeyRotation = { webhook_id: string; prepare?: boolean }

export type WebhookQuery = { webhook_id: string; graphql_query: string }

export type VariablePage = {
  data: readonly string[]
  pagination: { cursors: { after?: string }; total_count: number }
}

export type NewVariableItems = { items: readonly string[] }

/** One of the two. */
export type VariableChange = { add?: readonly string[]; delete?: readonly string[] }

export type Delivery = {
  id: string
  webhook_id: string
  network: string
  kind: 'data' | 'error'
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  sequence_number: string | null
  block_number: number | null
  block_hash: string | null
  replay: boolean
  attempts_made: number
  bytes: number | null
  time_created: number
  /** Null unless it waits. */
  time_due: number | null
  /** Null while it waits. */
  time_done: number | null
}

export type DeliveryAttempt = {
  time_started: number
  status_code: number | null
  fault: string | null
  ms: { lookup: number; connect: number; answer: number; total: number }
  response_start: string
  address: string | null
  queue: 'new' | 'retry' | 'ordered' | 'error'
}

export type DeliveryDetail = Delivery & {
  body: string | null
  attempts: readonly DeliveryAttempt[]
}

export type DeliveryPage = {
  data: readonly Delivery[]
  pagination: { cursors: { after?: string } }
}

export type NewReplay = { webhook_id: string; from_block: number; to_block: number }

export type Replay = NewReplay & {
  id: string
  network: string
  next_block: number
  state: 'running' | 'done' | 'cancelled' | 'failed'
  delivered: number
  skipped: number
  error: string | null
  time_created: number
  time_updated: number
}
