import type { Lane, ReadyDelivery } from '../../tables/deliveries/delivery-claims.ts'
import type { Place } from '../schedule/pick-turns.ts'

/** A delivery that is ours under a lease, with its body as it is sent, and its place. */
export type Parcel = Place & {
  row: ReadyDelivery
  lane: Lane
  url: string
  /** Null when its result is lost. */
  body: string | null
  bodyBytes: number
  lease: string
  leaseUntilMs: number
  /** The line's setbacks when it was taken. */
  setbacks: number
}
