import { Command, CommanderError } from 'commander'
import { addCallCommands } from './commands/call-commands.ts'
import { addCompletionCommand } from './commands/completion-command.ts'
import { addMigrateCommand } from './commands/migrate-command.ts'
import { addSetupCommands } from './commands/setup-commands.ts'
import { addStartCommand } from './commands/start-command.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { describeProgram } from './frame/describe-program.ts'
import { usageMistake } from './frame/usage-mistake.ts'
import { complain } from './terminal/complain.ts'

/** Each adds a command, or a group of them. Their work is loaded when they run. */
const COMMANDS = [
  addStartCommand,
  addSetupCommands,
  addMigrateCommand,
  addCompletionCommand,
  addCallCommands,
]

/** Runs the command that the words after the program's name ask for. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const program = headgateProgram()
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Asking for help is no mistake, and it has been shown.
    if (thrown.exitCode === 0) process.exit(0)
    if (thrown.code === 'commander.help') process.exit(EXIT_CODES.badInput)
    complain(usageMistake(program, words, thrown), EXIT_CODES.badInput)
  }
}

/** The program with all its commands. */
export function headgateProgram(): Command {
  const program = describeProgram(new Command('headgate')).exitOverride()
  for (const addTo of COMMANDS) addTo(program)
  return program
}
