export type PauseReason =
  | 'MANUAL'
  | 'MONTHLY_CAPACITY_EXCEEDED'
  | 'DESTINATION_GONE'
  | 'BACKLOG_FULL'

/** A standing query of a team, and where its results go. */
export type Webhook = {
  id: string
  teamId: string
  appId: string | null
  network: string
  name: string
  url: string
  query: string
  /** Empty results are not delivered. */
  skipEmpty: boolean
  /** One delivery after the other, waiting for retries. */
  ordered: boolean
  /** An empty re-run is delivered when an earlier version of that height was. */
  notifyRemoved: boolean
  state: 'active' | 'paused'
  /** Why it is paused; null while it is active. */
  reason: PauseReason | null
  createdAtMs: number
}
