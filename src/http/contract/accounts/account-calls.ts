import * as apps from './apps.ts'
import { JWT_KEY, JWT_KEY_CALLS } from './jwt-keys.ts'
import * as sessions from './sessions.ts'
import * as teams from './teams.ts'

/** The calls about who uses the service, and with which keys. */
export const ACCOUNT_CALLS = {
  ...apps.APP_CALLS,
  ...JWT_KEY_CALLS,
  ...teams.TEAM_CALLS,
  ...sessions.SESSION_CALLS,
}

/** The shapes that clients of these calls know. */
export const ACCOUNT_SHAPES = {
  app: apps.APP,
  jwtKey: JWT_KEY,
  team: teams.TEAM,
  tierLimits: teams.TIER_LIMITS,
  tier: teams.OFFERED_TIER,
  session: sessions.SESSION,
  listedSession: sessions.LISTED_SESSION,
}
