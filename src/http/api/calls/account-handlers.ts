import * as sessions from '../sessions/session-calls.ts'
import { type SignInNeeds, signIn } from '../sessions/sign-in.ts'
import * as apps from './app-calls.ts'
import * as jwtKeys from './jwt-key-calls.ts'
import * as teams from './team-calls.ts'
import * as tokens from './token-calls.ts'

export type AccountCallNeeds = apps.AppCallNeeds &
  jwtKeys.AccountChangeNeeds &
  SignInNeeds &
  teams.TeamCallNeeds &
  tokens.TokenCallNeeds

/** Apps, teams, tokens and sessions. */
export const ACCOUNT_HANDLERS = {
  listApps: apps.listApps,
  createApp: apps.createApp,
  getApp: apps.getApp,
  changeApp: apps.changeApp,
  deleteApp: apps.deleteApp,
  rotateAppKey: apps.rotateAppKey,

  listJwtKeys: jwtKeys.listJwtKeys,
  createJwtKey: jwtKeys.createJwtKey,
  getJwtKey: jwtKeys.getJwtKey,
  deleteJwtKey: jwtKeys.deleteJwtKey,

  getTeam: teams.getTeam,
  changeTeam: teams.changeTeam,
  listTiers: teams.listTiers,
  listTeams: teams.listTeams,
  createTeam: teams.createTeam,
  getTeamById: teams.getTeamById,

  listTeamTokens: tokens.listTeamTokens,
  createTeamToken: tokens.createTeamToken,
  deleteTeamToken: tokens.deleteTeamToken,
  listTokens: tokens.listTokens,
  createToken: tokens.createToken,
  deleteToken: tokens.deleteToken,

  signIn,
  getSession: sessions.getSession,
  signOut: sessions.signOut,
  listSessions: sessions.listSessions,
  deleteSession: sessions.deleteSession,
}
