import type { KeyObject } from 'node:crypto'
import { type AccessRules, compileAccessRules } from '../core/access/access-rules.ts'
import { hashKey } from '../core/access/hash-key.ts'
import { type App, NO_LISTS } from '../core/app.ts'
import type { Team } from '../core/billing/plan.ts'
import { Rejection } from '../core/errors.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { TeamAccount } from '../metering/team-account.ts'
import type { Database } from '../ports/database.ts'
import { findAppAndTeam, findAppByKeyHash } from '../tables/accounts/apps.ts'
import { findJwtKey, type JwtAlgorithm } from '../tables/accounts/jwt-keys.ts'
import { openJwtKey } from './access/jwt-key.ts'

export type Caller = { app: App; account: TeamAccount; isDemo: boolean; rules: AccessRules | null }

export type JwtSigner = { teamId: string; algorithm: JwtAlgorithm; key: KeyObject }

export type CallerSource = {
  database: Database
  guard: SpendGuard
  /** True when the key `demo` is served. */
  demoKey(): boolean
}

const DEMO_KEY = 'demo'

export async function readCaller(needs: CallerSource, key: string): Promise<Caller | Rejection> {
  if (key === DEMO_KEY && needs.demoKey()) return demo(needs)
  return callerOf(needs, await findAppByKeyHash(needs.database, hashKey(key)))
}

/** Finds an app of a team that somebody else has vouched for. */
export async function readApp(
  needs: CallerSource,
  teamId: string,
  appId: string,
): Promise<Caller | Rejection> {
  return callerOf(needs, await findAppAndTeam(needs.database, teamId, appId))
}

export async function readSigner(needs: CallerSource, id: string): Promise<JwtSigner | Rejection> {
  const found = await findJwtKey(needs.database, id)
  if (!found) return unknownKey()
  const { teamId, algorithm } = found
  return { teamId, algorithm, key: openJwtKey(found.publicKey) }
}

export function unknownKey(): Rejection {
  return new Rejection('unauthorized', 'Must be authenticated!')
}

async function callerOf(
  needs: CallerSource,
  found: { app: App; team: Team } | null,
): Promise<Caller | Rejection> {
  if (!found) return unknownKey()
  const { app, team } = found
  const account = await needs.guard.open(team)
  return { app, account, isDemo: false, rules: compileAccessRules(app.allow) }
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
    allow: NO_LISTS,
    createdAtMs: 0,
  }
  return { app, account: await needs.guard.open(team), isDemo: true, rules: null }
}
