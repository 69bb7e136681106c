import type { Command } from 'commander'
import { addDevnetCommand } from './calls/devnet-command.ts'

/** The commands that ask a running Headgate. */
export function addCallCommands(program: Command): void {
  addDevnetCommand(program)
}
