import type { Command } from 'commander'
import { addAppCommand } from './calls/app-command.ts'
import { addDevnetCommand } from './calls/devnet-command.ts'
import { addKeyCommand } from './calls/key-command.ts'
import { addQueryCommand } from './calls/query-command.ts'
import { addTeamCommand } from './calls/team-command.ts'
import { addTokenCommand } from './calls/token-command.ts'
import { addNetworkCommand, addUsageCommand } from './calls/usage-command.ts'
import { addVariableCommand } from './calls/variable-command.ts'
import { addWebhookCommand } from './calls/webhook-command.ts'

const CALL_COMMANDS = [
  addWebhookCommand,
  addQueryCommand,
  addVariableCommand,
  addAppCommand,
  addKeyCommand,
  addTokenCommand,
  addTeamCommand,
  addUsageCommand,
  addNetworkCommand,
  addDevnetCommand,
]

/** The commands that ask a running Headgate. */
export function addCallCommands(program: Command): void {
  for (const addTo of CALL_COMMANDS) addTo(program)
}
