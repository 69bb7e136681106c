import type { Bucket } from '../core/billing/allowance.ts'
import type { Team, Tier } from '../core/billing/plan.ts'

/** What one team may spend and has spent, as known in this process. */
export type TeamAccount = {
  team: Team
  tier: Tier
  /** Null when the tier knows no throughput limit. */
  bucket: Bucket | null
  month: string
  monthEndsMs: number
  /** In the database when it was last read, all processes and webhooks together. */
  writtenCentiCu: number
  /** Metered here and not written yet. */
  pendingCentiCu: number
  /** Admitted calls that have not been answered yet. */
  reservedCentiCu: number
  usedAtMs: number
}
