export type PauseReason =
  | 'MANUAL'
  | 'MONTHLY_CAPACITY_EXCEEDED'
  | 'DESTINATION_GONE'
  | 'BACKLOG_FULL'

export type Webhook = {
  id: string
  teamId: string
  appId: string | null
  network: string
  name: string
  url: string
  query: string
  skipEmpty: boolean
  /** One delivery after the other, waiting for retries. */
  ordered: boolean
  /** An empty re-run is delivered when an earlier version of that height was. */
  notifyRemoved: boolean
  state: 'active' | 'paused'
  reason: PauseReason | null
  createdAtMs: number
}
