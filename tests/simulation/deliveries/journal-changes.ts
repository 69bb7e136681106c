export type EventRow = {
  event: number
  network: string
  sequence_number: number
  block_number: number | null
  error: string | null
  created_at_ms: number
}

/** The truncation is JSON. */
export type ResultRow = {
  event: number
  part: number
  data: string
  bytes: number
  truncation: string | null
}

/** A delivery as it is stored, but for what its event and its webhook say of it. */
export type DeliveryRow = {
  event: number
  webhook: number
  part: number | null
  previous_sequence: number | null
  state: number
  version: number
  attempts_made: number
  replay: 0 | 1
  body_bytes: number | null
}

export type OutboxRow = { event: number; webhook: number; lane: number; due_at_ms: number }

export type DoneRow = { event: number; webhook: number; state: number }

/** What is delivered of later events is in no list yet. */
export type ListingRow = { event: number }

export type CourierRow = { courier: string; token: number; until_ms: number }

export type ShardRow = { shard: number; courier: string | null }

export type WebhookRow = {
  number: number
  id: string
  team_id: string
  app_id: string | null
  url: string
  ordered: 0 | 1
  state: 'active' | 'paused' | 'deleted'
  reason: string | null
  signing_key_sealed: string
  previous_key_sealed: string | null
  previous_key_until_ms: number | null
}

export type TeamRow = { id: string; tier: string; autoscaling: 0 | 1 }

export type UsageRow = {
  team_id: string
  hour_ms: number
  app_id: string
  network: string
  method: string
  calls: number
  centi_cu: number
  bytes: number
}

export type MonthRow = { team_id: string; month: string; centi_cu: number }

export type BacklogRow = { team_id: string; part: string; bytes: number; draining: 0 | 1 }

type Changed<Table extends string, Row> = { table: Table; old: Row | null; now: Row | null }

/** A row before and after a statement; null where there was none. */
export type Change =
  | Changed<'events', EventRow>
  | Changed<'results', ResultRow>
  | Changed<'deliveries', DeliveryRow>
  | Changed<'outbox', OutboxRow>
  | Changed<'done_deliveries', DoneRow>
  | Changed<'listing', ListingRow>
  | Changed<'couriers', CourierRow>
  | Changed<'shards', ShardRow>
  | Changed<'webhooks', WebhookRow>
  | Changed<'teams', TeamRow>
  | Changed<'usage', UsageRow>
  | Changed<'team_months', MonthRow>
  | Changed<'team_backlogs', BacklogRow>

export type ChangeOf<Table extends Change['table']> = Extract<Change, { table: Table }>
