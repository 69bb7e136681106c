import type { Command } from 'commander'
import type { InitFlags } from '../init/init-configuration.ts'

const EXAMPLES = `
Examples:
  headgate init                                   asks, and writes headgate.yaml
  headgate init --upstream http://10.0.0.5:8545   the node says which chain it is on
  headgate init --upstream alchemy://KEY --network ETH_MAINNET --network BASE_MAINNET --yes
  headgate init --upstream http://10.0.0.5:8545 --listen 0.0.0.0:8080 \\
    --public-url https://rpc.example.com --database postgres://headgate@db/headgate

Vendors: alchemy://KEY, infura://KEY, quicknode://ENDPOINT/TOKEN, helius://KEY, ankr://KEY,
chainstack://NODE/KEY, drpc://KEY. Exit codes: 0 written, 1 there is a file, 2 something is
missing or wrong.`

/** `headgate init`: writes a configuration file. */
export function addInitCommand(program: Command): void {
  program
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
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Partial<InitFlags>) => {
      const { initConfiguration } = await import('../init/init-configuration.ts')
      await initConfiguration({
        upstream: [],
        network: [],
        ...flags,
        yes: flags.yes === true || flags.json === true,
      })
    })
}

function added(value: string, before: string[] = []): string[] {
  return [...before, value]
}
