import type { ApiCall, TeamCall, TokenCall } from './api-call.ts'
import * as apps from './app-calls.ts'
import { type NetworkReport, OPEN_API } from './contract.ts'
import * as teams from './team-calls.ts'
import * as usage from './usage-calls.ts'

export type CallNeeds = apps.AppCallNeeds &
  teams.TeamCallNeeds &
  usage.UsageCallNeeds & {
    publicUrl: string
    /** How the networks and their upstreams are right now. */
    networkReport(): readonly NetworkReport[]
  }

/** Answers with what becomes the JSON, or with a rejection. */
type Handler<Call> = (needs: CallNeeds, call: Call) => Promise<unknown>

/** One handler for each operation id of the document, by whose token the call asks for. */
export type CallHandlers = {
  team: Readonly<Record<string, Handler<TeamCall>>>
  operator: Readonly<Record<string, Handler<TokenCall>>>
  'any-token': Readonly<Record<string, Handler<TokenCall>>>
  public: Readonly<Record<string, Handler<ApiCall>>>
}

export const CALL_HANDLERS: CallHandlers = {
  team: {
    listApps: apps.listApps,
    createApp: apps.createApp,
    getApp: apps.getApp,
    changeApp: apps.changeApp,
    deleteApp: apps.deleteApp,
    rotateAppKey: apps.rotateAppKey,
    getTeam: teams.getTeam,
    changeTeam: teams.changeTeam,
    getUsageSummary: usage.getUsageSummary,
    getUsageSeries: usage.getUsageSeries,
  },
  operator: {
    listTeams: teams.listTeams,
    createTeam: teams.createTeam,
    listTokens: teams.listTokens,
    createToken: teams.createToken,
    deleteToken: teams.deleteToken,
  },
  'any-token': {
    listNetworks: async (needs) => ({ data: needs.networkReport() }),
  },
  public: {
    getOpenApi: async ({ publicUrl }) => ({
      ...OPEN_API,
      servers: [{ url: publicUrl, description: 'This instance.' }],
    }),
  },
}
