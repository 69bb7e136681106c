import { Command, CommanderError } from 'commander'
import { EXIT_CODES } from './exit-codes.ts'
import { describeProgram } from './frame/describe-program.ts'
import { usageMistake } from './frame/usage-mistake.ts'
import { addSetupCommands } from './setup-commands.ts'
import { complain } from './terminal/complain.ts'

type CallCommand = { name: string; does: string; load(): Promise<(command: Command) => void> }

/** The commands that ask a running Headgate. The contract they are made of takes time to load. */
const CALL_COMMANDS: readonly CallCommand[] = [
  {
    name: 'webhook',
    does: 'create webhooks, watch them, and replay the past',
    load: async () => (await import('./calls/webhooks/webhook-commands.ts')).addWebhookCommands,
  },
  {
    name: 'query',
    does: 'try queries before a webhook runs them',
    load: async () => (await import('./calls/queries/query-commands.ts')).addQueryCommands,
  },
  {
    name: 'variable',
    does: 'change the lists of addresses and topics that queries name',
    load: async () => (await import('./calls/variable-commands.ts')).addVariableCommands,
  },
  {
    name: 'app',
    does: 'create and change apps, each with its own key',
    load: async () => (await import('./calls/accounts/account-commands.ts')).addAppCommands,
  },
  {
    name: 'key',
    does: 'see and replace keys: of apps, of signatures, for JSON Web Tokens',
    load: async () => (await import('./calls/accounts/key-commands.ts')).addKeyCommands,
  },
  {
    name: 'token',
    does: 'create and revoke tokens of the management API',
    load: async () => (await import('./calls/accounts/account-commands.ts')).addTokenCommands,
  },
  {
    name: 'team',
    does: 'see the team, and create teams as the operator',
    load: async () => (await import('./calls/accounts/account-commands.ts')).addTeamCommands,
  },
  {
    name: 'usage',
    does: 'show what the team used in a month',
    load: async () => (await import('./calls/usage-commands.ts')).addUsageCommand,
  },
  {
    name: 'network',
    does: 'see the networks, and the nodes behind them',
    load: async () => (await import('./calls/usage-commands.ts')).addNetworkCommands,
  },
  {
    name: 'devnet',
    does: 'see the embedded chain, and break it on purpose',
    load: async () => (await import('./calls/devnet/devnet-commands.ts')).addDevnetCommands,
  },
]

export async function runProgram(words: readonly string[]): Promise<void> {
  const needsAll = words.includes('completion')
  const program = await headgateProgram(({ name }) => needsAll || words.includes(name))
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Asking for help is no mistake, and it has been shown.
    if (thrown.exitCode === 0) process.exit(0)
    if (thrown.code === 'commander.help') process.exit(EXIT_CODES.badInput)
    complain(usageMistake(program, words, thrown), 'badInput')
  }
}

/** The program with all its commands; those that are not needed have only a name and a summary. */
export async function headgateProgram(
  isNeeded: (command: CallCommand) => boolean = () => true,
): Promise<Command> {
  const program = describeProgram(new Command('headgate')).exitOverride()
  addSetupCommands(program)
  for (const call of CALL_COMMANDS) {
    const command = program.command(call.name).summary(call.does)
    if (isNeeded(call)) (await call.load())(command)
  }
  return program
}
