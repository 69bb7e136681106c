import type { Command } from 'commander'
import type { AppFields } from '../../calls/accounts/apps.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, onOrOff, several } from './call-command.ts'

type Said = ConnectionOptions
type Apps = typeof import('../../calls/accounts/apps.ts')

/** `headgate app`: apps, each with a key of its own. */
export function addAppCommand(program: Command): void {
  const group = callGroup(program, 'app', {
    does: 'make and change apps, each with a key of its own',
    more: 'An app is named by its id, or by its name where one alone has it.',
    examples: [
      ['app create --name Wallet --networks ETH_MAINNET', 'a key for one network'],
      ['app list', 'those that there are'],
    ],
  })
  addSeeCommands(group)
  addCreateCommand(group)
  addChangeCommands(group)
}

function addSeeCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list the team’s apps',
    examples: [['app list', 'without their keys; headgate key list has them']],
  }).action((options: Said) => run(options, (apps, calling) => apps.listApps(calling)))

  callCommand(group, 'get', {
    does: 'show one app with its key and addresses',
    examples: [['app get Wallet', 'lines to give to a client']],
  })
    .argument('<app>', 'its id or name')
    .action((id: string, options: Said) =>
      run(options, (apps, calling) => apps.showApp(calling, id)),
    )
}

function addCreateCommand(group: Command): void {
  const command = callCommand(group, 'create', {
    does: 'make an app; its key works within a second',
    examples: [
      ['app create --name Wallet', 'on all networks'],
      ['app create --name Shop --allow-origins https://shop.example', 'for a page'],
    ],
  })
  appFields(command.requiredOption('--name <name>', 'words of your own')).action(
    (options: Said & AppFields) =>
      run(options, (apps, calling) => apps.createApp(calling, options)),
  )
}

function addChangeCommands(group: Command): void {
  const command = callCommand(group, 'change', {
    does: 'change an app; what is not given stays',
    examples: [
      ['app change Wallet --active off', 'its key is refused until it is on again'],
      ['app change Shop --allow-origins any', 'from everywhere again'],
    ],
  }).argument('<app>', 'its id or name')
  appFields(command.option('--name <name>', 'words of your own'))
    .option('--active <on-or-off>', 'an inactive app’s key is refused', onOrOff)
    .action((id: string, options: Said & AppFields) =>
      run(options, (apps, calling) => apps.changeApp(calling, id, options)),
    )

  callCommand(group, 'delete', {
    does: 'delete an app; its key stops within a second',
    examples: [['app delete Wallet --yes', 'without asking']],
  })
    .argument('<app>', 'its id or name')
    .option('--yes', 'do not ask')
    .action((id: string, options: Said & { yes?: boolean }) =>
      run(options, (apps, calling) => apps.deleteApp(calling, id, options)),
    )
}

/** Each list replaces that of the app. */
function appFields(command: Command): Command {
  return command
    .option('--networks <ids>', 'networks, with commas between (default: all)', several)
    .option('--description <text>', 'more words of your own')
    .option('--allow-origins <list>', 'origins that pages may call from, or any', several)
    .option('--allow-ips <list>', 'addresses and ranges of clients, or any', several)
    .option('--allow-methods <list>', 'methods, such as eth_get*, or any', several)
    .option('--allow-contracts <list>', 'contracts that calls may name, or any', several)
}

function run(options: Said, work: (apps: Apps, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/accounts/apps.ts'), calling)
  })
}
