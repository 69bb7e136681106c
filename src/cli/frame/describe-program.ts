import type { Command } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { mayColour, refuseColour } from '../../config/process-environment.ts'
import { EXIT_CODE_MEANINGS } from '../exit-codes.ts'
import { examples } from './examples.ts'

/** Wider lines are hard to read, and a file has no width. */
const HELP_COLUMNS = { default: 80, max: 100, leastToWrap: 20 }

export function describeProgram(program: Command): Command {
  program
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
      styleTitle: (title) => `\u001b[1m${title}\u001b[0m`,
      minWidthToWrap: HELP_COLUMNS.leastToWrap,
    })
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
