import type { Team, Tier } from '../core/billing/plan.ts'
import type { TokenBucket } from '../core/billing/token-bucket.ts'
import type { UseElsewhere } from './use-elsewhere.ts'

export type TeamAccount = {
  team: Team
  /** Names its limits to other processes. */
  limitKey: string
  tier: Tier
  /** Null when the tier knows no throughput limit. */
  bucket: TokenBucket | null
  month: string
  monthEndsMs: number
  /** The database's sum when it was last read, of all processes and webhooks. */
  writtenCentiCu: number
  /** Metered here and not written yet. */
  pendingCentiCu: number
  /** Admitted calls that have not been answered yet. */
  reservedCentiCu: number
  elsewhere: UseElsewhere
  usedAtMs: number
}
