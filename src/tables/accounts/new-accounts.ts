import { hashKey } from '../../core/access/hash-key.ts'
import { type App, NO_LISTS } from '../../core/app.ts'
import type { Team } from '../../core/billing/plan.ts'
import { Rejection } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { appKeyPlace } from '../../ports/secrets.ts'
import type { World } from '../../ports/world.ts'
import { changeAccounts } from './accounts-change.ts'
import { insertApp, replaceAppKey, type StoredKey, TEAM_APPS_MAX } from './apps.ts'
import { insertTeam } from './teams.ts'
import { countTokens, insertToken, TEAM_TOKENS_MAX, type Token } from './tokens.ts'

type NewToken = Pick<Token, 'kind' | 'teamId' | 'name'>

type NewTeam = Pick<Team, 'name' | 'tier'>

type CreatedTeam = { team: Team; token: string; tokenId: string }

type NewApp = Pick<App, 'name' | 'description' | 'networks'> & { allow?: Partial<App['allow']> }

type CreatedApp = { app: App; key: string }

/** `token` is the secret itself: it is known here, shown once, and stored only as its hash. */
type CreatedToken = { id: string; token: string }

/** 36^16, about 2^82: no two will ever meet. */
const ID_LENGTH = 16

/** Keys, tokens and cookies: 36^32, about 2^165, cannot be guessed. */
export const SECRET_LENGTH = 32

const FIRST_TOKEN_NAME = 'first'

/** A team with its first token. */
export function createTeam(db: Database, world: World, wanted: NewTeam): Promise<CreatedTeam> {
  return changeAccounts(db, (tx) => addTeam(tx, world, wanted))
}

/** The same as a part of `changeAccounts`. */
export async function addTeam(
  tx: Database,
  world: World,
  { name, tier }: NewTeam,
): Promise<CreatedTeam> {
  const team: Team = {
    id: newId(world, 'team'),
    name,
    tier,
    autoscaling: false,
    createdAtMs: world.clock.nowMs(),
  }
  await insertTeam(tx, team)
  const first = { kind: 'team', teamId: team.id, name: FIRST_TOKEN_NAME } as const
  const { id, token } = await addToken(tx, world, first)
  return { team, token, tokenId: id }
}

export function createToken(db: Database, world: World, newToken: NewToken): Promise<CreatedToken> {
  return changeAccounts(db, (tx) => addToken(tx, world, newToken))
}

/** The same on behalf of a caller; refused when the team has all the tokens it may have. */
export function createTeamToken(
  db: Database,
  world: World,
  teamId: string,
  name: string,
): Promise<CreatedToken | Rejection> {
  return changeAccounts(db, async (tx) => {
    if ((await countTokens(tx, teamId)) >= TEAM_TOKENS_MAX) {
      return new Rejection('validation', `A team may have ${TEAM_TOKENS_MAX} tokens.`)
    }
    return addToken(tx, world, { kind: 'team', teamId, name })
  })
}

/** An active app with its key; refused when the team has all the apps it may have. */
export function createApp(
  db: Database,
  world: World,
  teamId: string,
  wanted: NewApp,
): Promise<CreatedApp | Rejection> {
  return changeAccounts(db, (tx) => addApp(tx, world, teamId, wanted))
}

/** The same as a part of `changeAccounts`. */
export async function addApp(
  tx: Database,
  world: World,
  teamId: string,
  { name, description, networks, allow }: NewApp,
): Promise<CreatedApp | Rejection> {
  const app: App = {
    id: newId(world, 'app'),
    teamId,
    name,
    description,
    networks,
    isActive: true,
    allow: { ...NO_LISTS, ...allow },
    createdAtMs: world.clock.nowMs(),
  }
  const { key, stored } = newKey(world, app.id)
  const inserted = await insertApp(tx, app, stored)
  if (!inserted) return new Rejection('validation', `A team may have ${TEAM_APPS_MAX} apps.`)
  return { app, key }
}

/** The app's new key, or null when the team has no such app. */
export async function rotateAppKey(
  db: Database,
  world: World,
  teamId: string,
  appId: string,
): Promise<string | null> {
  const { key, stored } = newKey(world, appId)
  const replaced = await changeAccounts(db, (tx) => replaceAppKey(tx, teamId, appId, stored))
  return replaced ? key : null
}

/** The key as it was made; throws the failure `secret_unreadable` when it is not this app's. */
export function openAppKey({ secrets }: World, appId: string, sealed: string) {
  return secrets.open(sealed, appKeyPlace(appId))
}

export function newId({ entropy }: World, prefix: 'app' | 'jwk' | 'ses' | 'team' | 'tok'): string {
  return `${prefix}_${entropy.alphanumeric(ID_LENGTH)}`
}

async function addToken(tx: Database, world: World, newToken: NewToken): Promise<CreatedToken> {
  const id = newId(world, 'tok')
  const token = world.entropy.alphanumeric(SECRET_LENGTH)
  const { kind, teamId, name } = newToken
  const stored = { id, kind, teamId, name, createdAtMs: world.clock.nowMs() }
  await insertToken(tx, stored, hashKey(token))
  return { id, token }
}

function newKey(world: World, appId: string): { key: string; stored: StoredKey } {
  const key = world.entropy.alphanumeric(SECRET_LENGTH)
  const sealed = world.secrets.seal(key, appKeyPlace(appId))
  return { key, stored: { hash: hashKey(key), sealed } }
}
