export type DeliveryRow = {
  id: string
  webhook_id: string
  team_id: string
  network: string
  kind: 'data' | 'error'
  sequence_number: number | null
  block_number: number | null
  part: number | null
  error: string | null
  previous_sequence: number | null
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  created_at_ms: number
  due_at_ms: number
  attempts_made: number
  lease: string | null
  lease_until_ms: number
  body_bytes: number | null
  replay: 0 | 1
  lane: string
  data_bytes: number
}

export type WebhookRow = {
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

/** The truncation is JSON. */
export type ResultRow = {
  sequence_number: number
  part: number
  data: string
  truncation: string | null
}

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

type Changed<Table extends string, Row> = { table: Table; old: Row | null; now: Row | null }

/** A row before and after a statement; null where there was none. */
export type Change =
  | Changed<'results', ResultRow>
  | Changed<'deliveries', DeliveryRow>
  | Changed<'webhooks', WebhookRow>
  | Changed<'teams', TeamRow>
  | Changed<'usage', UsageRow>
  | Changed<'team_months', MonthRow>

export type ChangeOf<Table extends Change['table']> = Extract<Change, { table: Table }>
