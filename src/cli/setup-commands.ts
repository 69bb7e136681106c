import { Argument, type Command } from 'commander'
import type { DoctorOptions } from './doctor/run-doctor.ts'
import { examples } from './frame/examples.ts'
import type { InitFlags } from './init/init-configuration.ts'
import { addListenCommand } from './listen/listen-command.ts'

type StartOptions = { config?: string; fresh?: boolean; check?: boolean }

type CheckOptions = { config?: string; json?: boolean }

type MigrateOptions = { config?: string; from?: string; to?: string }

type Shell = 'bash' | 'zsh' | 'fish'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

const VENDORS = `
Vendors: alchemy://KEY, infura://KEY, quicknode://ENDPOINT/TOKEN, helius://KEY,
  ankr://KEY, chainstack://NODE/KEY, drpc://KEY`

/** Adds `listen` and all commands that need no running Headgate. Their work is loaded lazily. */
export function addSetupCommands(program: Command): void {
  addStartCommand(program)
  addInitCommand(program)
  addCheckCommand(program)
  addDoctorCommand(program)
  addListenCommand(program)
  addMigrateCommand(program)
  addCompletionCommand(program)
}

/** `headgate start`, which is also what `headgate` alone does. */
function addStartCommand(program: Command): void {
  const command = program
    .command('start', { isDefault: true })
    .description('run the service; without a configuration file, in local development')
    .option('--config <file>', 'read this configuration file; HEADGATE_CONFIG does the same')
    .option('--fresh', 'forget what local development left in the data folder, and start anew')
    .option('--check', 'check the configuration and exit, as headgate check does')
    .action(async ({ config, fresh = false, check }: StartOptions) => {
      if (check) {
        const { checkConfiguration } = await import('./start/check-configuration.ts')
        return checkConfiguration(config, { json: false })
      }
      const { runService } = await import('./start/run-service.ts')
      await runService(config, { fresh })
    })
  examples(command, [
    ['headgate start', 'local development, in the folder ./data'],
    ['headgate start --fresh', 'the same, without what was there'],
    ['HEADGATE_LISTEN=127.0.0.1:9000 headgate start', 'at another port'],
    ['headgate start --config headgate.yaml', 'your own networks'],
  ])
}

function addInitCommand(program: Command): void {
  const command = program
    .command('init')
    .description('write a commented configuration file, of answers or of flags')
    .option('--upstream <address>', 'a node, or a vendor’s key; may be repeated', added)
    .option('--network <id>', 'a network to serve, or all; may be repeated', added)
    .option('--listen <address>', 'address and port (default: 127.0.0.1:8080)')
    .option('--public-url <url>', 'how clients reach it')
    .option('--data <folder>', 'folder of its data (default: ./data)')
    .option('--workers <count>', 'processes that serve JSON-RPC, or auto (default: auto)')
    .option('--database <address>', 'postgres://…; sqlite, the default, is the data folder')
    .option('--out <file>', 'where to write (default: headgate.yaml)')
    .option('--force', 'write over a file that is there')
    .option('--yes', 'ask nothing: what no flag says has its default')
    .option('--json', 'print JSON, for scripts; asks nothing')
    .action(async (flags: Partial<InitFlags>) => {
      const { initConfiguration } = await import('./init/init-configuration.ts')
      const yes = flags.yes === true || flags.json === true
      await initConfiguration({ upstream: [], network: [], ...flags, yes })
    })
  examples(command, [
    ['headgate init', 'asks, and writes headgate.yaml'],
    ['headgate init --upstream http://10.0.0.5:8545', 'the node says which chain it is on'],
    [
      'headgate init --yes --upstream alchemy://KEY --network ETH_MAINNET --network BASE_MAINNET',
      'a vendor’s key for two networks',
    ],
    [
      'headgate init --upstream http://10.0.0.5:8545 --database postgres://headgate@db/headgate',
      'with a store for many machines',
    ],
  ]).addHelpText('after', VENDORS)
}

function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .description('check the configuration, and whether its upstreams can be reached')
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ config, json = false }: CheckOptions) => {
      const { checkConfiguration } = await import('./start/check-configuration.ts')
      await checkConfiguration(config, { json })
    })
  examples(command, [
    ['headgate check --config headgate.yaml', 'exit code 2 where the file is wrong'],
    ['headgate check --config headgate.yaml --json', 'the same for scripts'],
  ])
}

function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .summary('look at each upstream: what it can do, what it means, what to do')
    .description(
      'look at each upstream: chain, head, lag, receipts, traces, batches, logs, state, ' +
        'WebSocket, latency; what it means, and what to do',
    )
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .option('--network <id>', 'only this network; may be repeated', added)
    .option('--json', 'print JSON, for scripts')
    .action(async (said: DoctorOptions) => {
      const { runDoctor } = await import('./doctor/run-doctor.ts')
      await runDoctor(said)
    })
  examples(command, [
    ['headgate doctor --config headgate.yaml', 'all upstreams of the file'],
    ['headgate doctor --config headgate.yaml --network ETH_MAINNET', 'those of a network'],
    ['headgate doctor', 'the networks of a Headgate that runs here'],
    ['headgate doctor --config headgate.yaml --json', 'for scripts; exit code 1: not good'],
  ])
}

function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'copy the store of a data folder to an empty PostgreSQL database; Headgate must be stopped',
    )
    .option('--from <folder>', 'the data folder')
    .option('--to <address>', 'the empty database, as a postgres:// address')
    .option('--config <file>', 'its option database is used if --to is not given')
    .action(async ({ config, ...places }: MigrateOptions) => {
      const { migrateStore } = await import('./migrate/migrate-store.ts')
      await migrateStore(places, config)
    })
  examples(command, [
    ['HEADGATE_DATABASE=postgres://… headgate migrate --from ./data', 'to PostgreSQL'],
  ])
}

function addCompletionCommand(program: Command): void {
  const command = program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell that is to complete').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./frame/completion/completion-script.ts')
      const { openTerminal } = await import('./terminal/terminal.ts')
      openTerminal({}).say(completionScript(program, shell).trimEnd())
    })
  examples(command, [
    ['eval "$(headgate completion bash)"', 'in ~/.bashrc'],
    ['eval "$(headgate completion zsh)"', 'in ~/.zshrc, below compinit'],
    ['headgate completion fish | source', 'in ~/.config/fish/config.fish'],
  ])
}

/** Collects an option that may be repeated. */
function added(value: string, before: string[] = []): string[] {
  return [...before, value]
}
