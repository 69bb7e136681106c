import type { Database } from '../ports/database.ts'
import { carryDeliveries } from './carry/carry-deliveries.ts'
import accounts from './migrations/001-accounts.sql' with { type: 'text' }
import webhooks from './migrations/002-webhooks.sql' with { type: 'text' }
import courier from './migrations/003-courier.sql' with { type: 'text' }
import sheets from './migrations/004-sheets.sql' with { type: 'text' }
import management from './migrations/005-management.sql' with { type: 'text' }
import backlogs from './migrations/006-backlogs.sql' with { type: 'text' }
import deliveries from './migrations/007-deliveries.sql' with { type: 'text' }

export type Migration = {
  version: number
  name: string
  script: string
  /** Brings over what the script alone cannot. */
  carry?(tx: Database): Promise<void>
}

/** Up to the one that brought deliveries into their form of today. */
export const EARLY_MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'accounts', script: accounts },
  { version: 2, name: 'webhooks', script: webhooks },
  { version: 3, name: 'courier', script: courier },
  { version: 4, name: 'sheets', script: sheets },
  { version: 5, name: 'management', script: management },
  { version: 6, name: 'backlogs', script: backlogs },
  { version: 7, name: 'deliveries', script: deliveries, carry: carryDeliveries },
]
