import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'
import type { InitFlags } from '../init/init-configuration.ts'

const VENDORS = `
Vendors: alchemy://KEY, infura://KEY, quicknode://ENDPOINT/TOKEN, helius://KEY,
  ankr://KEY, chainstack://NODE/KEY, drpc://KEY`

export function addInitCommand(program: Command): void {
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
      const { initConfiguration } = await import('../init/init-configuration.ts')
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

/** Collects an option that may be repeated. */
export function added(value: string, before: string[] = []): string[] {
  return [...before, value]
}
