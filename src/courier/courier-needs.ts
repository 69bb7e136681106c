import type { Tier } from '../core/billing/plan.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Egress } from '../ports/egress.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Signals } from '../ports/signals.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { KnownNumbers } from '../tables/chain/known-numbers.ts'

/** All that the courier asks of the world. */
export type CourierNeeds = {
  /**
   * No other courier that runs is called so. A courier that comes back under its name has its
   * shards at once; under another one it waits until the lease of its earlier life lapses.
   */
  name: string
  clock: Clock
  database: Database
  egress: Egress
  entropy: Entropy
  secrets: Secrets
  signals: Signals
  known: KnownNumbers
  telemetry: Telemetry
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  tiers: ReadonlyMap<string, Tier>
  /** Where teams are sent whose month is used up. */
  publicUrl: string
}
