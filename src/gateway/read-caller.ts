import type { App } from '../core/app.ts'
import { Rejection } from '../core/errors.ts'
import { hashKey } from '../core/hash-key.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { TeamAccount } from '../metering/team-account.ts'
import type { Database } from '../ports/database.ts'
import { findAppByKeyHash } from '../tables/accounts/apps.ts'

/** A caller: the app behind a key and the account that pays. */
export type Caller = { app: App; account: TeamAccount; isDemo: boolean }

export type CallerSource = {
  database: Database
  guard: SpendGuard
  /** True when the key `demo` is served. */
  demoKey(): boolean
}

const DEMO_KEY = 'demo'

/** Finds in the database whose key it is. */
export async function readCaller(needs: CallerSource, key: string): Promise<Caller | Rejection> {
  if (key === DEMO_KEY && needs.demoKey()) return demo(needs)
  const found = await findAppByKeyHash(needs.database, hashKey(key))
  if (!found) return unknownKey()
  return { app: found.app, account: await needs.guard.open(found.team), isDemo: false }
}

export function unknownKey(): Rejection {
  return new Rejection('unauthorized', 'Must be authenticated!')
}

/** The demo app has every network, the free tier, and no row: it cannot be changed or deleted. */
async function demo(needs: CallerSource): Promise<Caller> {
  const team = { id: 'team_demo', name: 'Demo', tier: 'free', autoscaling: false, createdAtMs: 0 }
  const app: App = {
    id: 'app_demo',
    teamId: team.id,
    name: 'Demo',
    description: '',
    networks: [],
    isActive: true,
    createdAtMs: 0,
  }
  return { app, account: await needs.guard.open(team), isDemo: true }
}
