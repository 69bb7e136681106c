import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { mayColour, refuseColour } from '../config/config.ts'
import { addCallCommands } from './commands/call-commands.ts'
import { addCompletionCommand } from './commands/completion-command.ts'
import { addMigrateCommand } from './commands/migrate-command.ts'
import { addSetupCommands } from './commands/setup-commands.ts'
import { addStartCommand } from './commands/start-command.ts'
import { EXIT_CODE_MEANINGS, EXIT_CODES } from './exit-codes.ts'
import { examples } from './frame/examples.ts'
import { usageMistake } from './frame/usage-mistake.ts'
import { complain } from './terminal/complain.ts'

/** Each adds a command, or a group of them. Their work is loaded when they run. */
const COMMANDS = [
  addStartCommand,
  addSetupCommands,
  addMigrateCommand,
  addCallCommands,
  addCompletionCommand,
]

/** Wider lines are hard to read, and a file has no width. */
const HELP_COLUMNS = { default: 80, max: 100 }

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
  const program = new Command('headgate')
    .description('A self-hosted blockchain node service. Without a command it starts.')
    .version(packageJson.version, '-V, --version', 'show the version')
    .option('--no-color', 'show no colours; NO_COLOR does the same')
    .on('option:no-color', refuseColour)
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureOutput({
      // Mistakes are told by us: the words may hold a password.
      outputError() {},
      getOutHelpWidth: () => columnsOf(process.stdout),
      getErrHelpWidth: () => columnsOf(process.stderr),
      getOutHasColors: () => process.stdout.isTTY === true && mayColour(),
      getErrHasColors: () => process.stderr.isTTY === true && mayColour(),
    })
    .configureHelp({
      showGlobalOptions: false,
      styleTitle: (title) => `\u001b[1m${title}\u001b[0m`,
    })
    .exitOverride()
  for (const addTo of COMMANDS) addTo(program)
  examples(program, [
    ['headgate', 'local development, in the folder ./data'],
    ['headgate start --config headgate.yaml', 'your own networks'],
    ['headgate check --config headgate.yaml', 'is the file good?'],
    ['headgate help migrate', 'the help of a command'],
  ])
  const codes = EXIT_CODE_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`)
  return program.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`)
}

function columnsOf({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number {
  if (isTTY !== true || !columns) return HELP_COLUMNS.default
  return Math.min(columns, HELP_COLUMNS.max)
}
