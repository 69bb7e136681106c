import type { Command } from 'commander'
import { addListenCommand } from './calls/listen-command.ts'
import { addCheckCommand } from './check-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addInitCommand } from './init-command.ts'

/** The commands that help to set up a Headgate, and an app that listens to it. */
export function addSetupCommands(program: Command): void {
  addInitCommand(program)
  addCheckCommand(program)
  addDoctorCommand(program)
  addListenCommand(program)
}
