import type { AllowLists, App } from '../../core/app.ts'
import type { Team } from '../../core/billing/plan.ts'
import type { Rejection } from '../../core/errors.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'
import { forgetApp } from '../webhooks/webhooks.ts'
import { changeAccounts } from './accounts-change.ts'

/** The two forms in which a key is kept: one to find it by, one to show it again. */
export type StoredKey = { hash: string; sealed: string }

export type StoredApp = { app: App; keySealed: string }

export type AppChange = {
  name?: string
  description?: string
  networks?: readonly string[]
  isActive?: boolean
  /** Replaces the lists that are given. */
  allow?: Partial<AllowLists>
}

type AppRow = Omit<App, 'networks' | 'isActive' | 'allow'> &
  Record<'networks' | 'origins' | 'ips' | 'methods' | 'contracts' | 'keySealed', string> & {
    isActive: number
  }

type AppAndTeamRow = AppRow & {
  teamName: string
  tier: string
  autoscaling: number
  teamCreatedAtMs: number
}

/** Says why the app, as it is in the transaction, must not be changed. */
type Guard = (found: StoredApp) => Rejection | null

export const TEAM_APPS_MAX = 1_000

const COLUMNS = sql`
  apps.id, apps.team_id AS "teamId", apps.name, apps.description, apps.networks,
  apps.is_active AS "isActive", apps.allow_origins AS origins, apps.allow_ips AS ips,
  apps.allow_methods AS methods, apps.allow_contracts AS contracts,
  apps.key_sealed AS "keySealed", apps.created_at_ms AS "createdAtMs"`

/**
 * False when the team has all the apps it may have. Counting and inserting is one
 * statement, and `changeAccounts` makes its callers take turns, so no two of them
 * can take the last place: call it with the tx of that.
 */
export async function insertApp(tx: Database, app: App, key: StoredKey): Promise<boolean> {
  const inserted = await tx.query(sql`
    INSERT INTO apps
      (id, team_id, name, description, networks, is_active, allow_origins, allow_ips,
        allow_methods, allow_contracts, key_hash, key_sealed, created_at_ms)
    SELECT ${app.id}, ${app.teamId}, ${app.name}, ${app.description},
      ${JSON.stringify(app.networks)}, CAST(${app.isActive ? 1 : 0} AS BIGINT),
      ${JSON.stringify(app.allow.origins)}, ${JSON.stringify(app.allow.ips)},
      ${JSON.stringify(app.allow.methods)}, ${JSON.stringify(app.allow.contracts)}, ${key.hash},
      ${key.sealed}, CAST(${app.createdAtMs} AS BIGINT)
    WHERE (SELECT COUNT(*) FROM apps WHERE team_id = ${app.teamId}) < ${TEAM_APPS_MAX}
    RETURNING id`)
  return inserted.length === 1
}

export function findAppByKeyHash(
  db: Database,
  hash: string,
): Promise<{ app: App; team: Team } | null> {
  return readAppAndTeam(db, sql`apps.key_hash = ${hash}`)
}

/** The same for a caller that has no key and is known otherwise; null when the team lacks it. */
export function findAppAndTeam(
  db: Database,
  teamId: string,
  appId: string,
): Promise<{ app: App; team: Team } | null> {
  return readAppAndTeam(db, sql`apps.team_id = ${teamId} AND apps.id = ${appId}`)
}

export async function findApp(
  db: Database,
  teamId: string,
  appId: string,
): Promise<StoredApp | null> {
  const rows = await db.query<AppRow>(sql`
    SELECT ${COLUMNS} FROM apps WHERE team_id = ${teamId} AND id = ${appId}`)
  return rows[0] ? storedOf(rows[0]) : null
}

/** Oldest first; with a name, only apps of that name. */
export async function listApps(db: Database, teamId: string, name?: string): Promise<StoredApp[]> {
  const named = name === undefined ? sql`` : sql`AND name = ${name}`
  const rows = await db.query<AppRow>(sql`
    SELECT ${COLUMNS} FROM apps WHERE team_id = ${teamId} ${named}
    ORDER BY created_at_ms, id LIMIT ${TEAM_APPS_MAX}`)
  return rows.map(storedOf)
}

/** The old key is unknown from then on. False when the team has no such app. */
export async function replaceAppKey(
  db: Database,
  teamId: string,
  appId: string,
  key: StoredKey,
): Promise<boolean> {
  const replaced = await db.query(sql`
    UPDATE apps SET key_hash = ${key.hash}, key_sealed = ${key.sealed}
    WHERE team_id = ${teamId} AND id = ${appId} RETURNING id`)
  return replaced.length === 1
}

/** Changes the given fields, and returns the app; null when the team has no such app. */
export function updateApp(
  db: Database,
  teamId: string,
  appId: string,
  change: AppChange,
  guard: Guard = () => null,
): Promise<StoredApp | Rejection | null> {
  const networks = listText(change.networks)
  const isActive = change.isActive === undefined ? null : Number(change.isActive)
  const { origins, ips, methods, contracts } = change.allow ?? {}
  return changeAccounts(db, async (tx) => {
    const found = await findApp(tx, teamId, appId)
    const refused = found && guard(found)
    if (refused) return refused
    const rows = await tx.query<AppRow>(sql`
      UPDATE apps SET name = COALESCE(${change.name ?? null}, name),
        description = COALESCE(${change.description ?? null}, description),
        networks = COALESCE(${networks}, networks),
        is_active = COALESCE(${isActive}, is_active),
        allow_origins = COALESCE(${listText(origins)}, allow_origins),
        allow_ips = COALESCE(${listText(ips)}, allow_ips),
        allow_methods = COALESCE(${listText(methods)}, allow_methods),
        allow_contracts = COALESCE(${listText(contracts)}, allow_contracts)
      WHERE team_id = ${teamId} AND id = ${appId} RETURNING ${COLUMNS}`)
    return rows[0] ? storedOf(rows[0]) : null
  })
}

/**
 * Deletes it. Its usage stays in the ledger, and its webhooks no longer name an app. False when
 * the team has no such app.
 */
export function removeApp(
  db: Database,
  teamId: string,
  appId: string,
  guard: Guard = () => null,
): Promise<boolean | Rejection> {
  return changeAccounts(db, async (tx) => {
    const found = await findApp(tx, teamId, appId)
    if (!found) return false
    const refused = guard(found)
    if (refused) return refused
    await tx.query(sql`DELETE FROM apps WHERE team_id = ${teamId} AND id = ${appId}`)
    await forgetApp(tx, teamId, appId)
    return true
  })
}

function listText(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list)
}

/** Apps of an earlier version have an empty text in columns that came later. */
function listOf(text: string): string[] {
  return text === '' ? [] : (JSON.parse(text) as string[])
}

function storedOf(row: AppRow): StoredApp {
  return { app: appOf(row), keySealed: row.keySealed }
}

function appOf(row: AppRow): App {
  const { id, teamId, name, description, createdAtMs } = row
  return {
    id,
    teamId,
    name,
    description,
    networks: listOf(row.networks),
    isActive: row.isActive === 1,
    allow: {
      origins: listOf(row.origins),
      ips: listOf(row.ips),
      methods: listOf(row.methods),
      contracts: listOf(row.contracts),
    },
    createdAtMs,
  }
}

async function readAppAndTeam(db: Database, where: Sql): Promise<{ app: App; team: Team } | null> {
  const [row] = await db.query<AppAndTeamRow>(sql`
    SELECT ${COLUMNS}, teams.name AS "teamName", tier, autoscaling,
      teams.created_at_ms AS "teamCreatedAtMs"
    FROM apps JOIN teams ON teams.id = apps.team_id WHERE ${where}`)
  if (!row) return null
  const { teamId: id, teamName: name, tier, teamCreatedAtMs: createdAtMs } = row
  const team = { id, name, tier, autoscaling: row.autoscaling === 1, createdAtMs }
  return { app: appOf(row), team }
}
