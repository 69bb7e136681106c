import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { addCheckCommand } from './commands/check-command.ts'
import { addInitCommand } from './commands/init-command.ts'
import { addMigrateCommand } from './commands/migrate-command.ts'
import { addStartCommand } from './commands/start-command.ts'
import { EXIT_CODES } from './exit-codes.ts'

/** Each adds a command, or a group of them. Their work is loaded when they run. */
const COMMANDS = [addStartCommand, addInitCommand, addCheckCommand, addMigrateCommand]

/** Runs the command that the words after the program's name ask for. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const program = headgateProgram()
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // It has said all there is to say; asking for help is no mistake.
    process.exit(thrown.exitCode === 0 ? 0 : EXIT_CODES.badInput)
  }
}

/** The program with all its commands. */
export function headgateProgram(): Command {
  const program = new Command('headgate')
    .description('A self-hosted blockchain node service.')
    .version(packageJson.version)
    .showSuggestionAfterError()
    .showHelpAfterError('(--help says more)')
    .exitOverride()
  for (const addTo of COMMANDS) addTo(program)
  return program
}
