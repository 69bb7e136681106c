import type { Command } from 'commander'
import { asking, callCommand, onOrOff, told } from '../call-command.ts'
import { plainCommand } from '../plain/plain-command.ts'
import { changeWebhook, createWebhook } from './create-webhook.ts'
import { addDeliveryCommands } from './delivery-commands.ts'
import { listWebhooks, showWebhook } from './list-webhooks.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { testWebhook } from './test-webhook.ts'

/** One webhook, looked up by its id or name; its keys are not shown. */
const ONE_WEBHOOK = {
  arguments: { webhook: 'webhook_id' },
  members: [],
  findIn: 'listWebhooks',
  fields: ['id', 'name', 'network', 'webhook_url', 'state', 'deactivation_reason'],
} as const

export function addWebhookCommands(group: Command): void {
  told(group, {
    more: 'Name a webhook by its id, or by its name if no other webhook has it.',
    examples: [
      ['webhook create --inbox demo --graphql "{ block { number } }"', 'in local development'],
      ['webhook logs --follow', 'deliveries as they happen'],
    ],
  })
  addCreateCommand(group)
  addSeeCommands(group)
  addStateCommands(group)
  addChangeCommand(group)
  addTestCommand(group)
  addDeliveryCommands(group)
  addKeyCommand(group)
}

function addCreateCommand(group: Command): void {
  const command = callCommand(group, 'create', {
    does: 'create a webhook; its signing key is shown',
    examples: [
      [
        'webhook create --network ETH_MAINNET --query transfers.graphql --to https://a.example/hook',
        'a query from a file, to your app',
      ],
      ['webhook create --inbox demo --graphql "{ block { number hash } }"', 'to an inbox'],
      ['webhook create --query - --inbox demo < q.graphql', 'from standard input'],
    ],
  })
  destination(querySource(command))
    .option('--network <id>', 'the network (default: the only one that there is)')
    .option('--name <name>', 'a label for your own use')
    .option('--app <id>', 'the app that deliveries are accounted to')
    .option('--skip-empty', 'deliver only results that are not empty')
    .option('--ordered', 'strictly one delivery after the other')
    .option('--notify-removed', 'with --skip-empty: notify when a reorg leaves nothing')
    .action(asking(createWebhook))
}

function addSeeCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list the team’s webhooks and their state',
    examples: [
      ['webhook list', 'with the deliveries of the last day'],
      ['webhook list --json | jq ".[].id"', 'their ids'],
    ],
  }).action(asking(listWebhooks))

  callCommand(group, 'get', {
    does: 'show one webhook with its query',
    examples: [['webhook get Transfers --show-key', 'with its signing key']],
  })
    .argument('<webhook>', 'its id or name')
    .option('--show-key', 'show the signing key, too')
    .action(asking(showWebhook))
}

function addStateCommands(group: Command): void {
  plainCommand(group, 'pause', 'updateWebhook', {
    ...ONE_WEBHOOK,
    does: 'pause a webhook: nothing is evaluated or sent for it',
    fixed: { is_active: false },
  })
  plainCommand(group, 'resume', 'updateWebhook', {
    ...ONE_WEBHOOK,
    does: 'resume a webhook from the next block on, whatever paused it',
    fixed: { is_active: true },
  })
  plainCommand(group, 'delete', 'deleteWebhook', {
    ...ONE_WEBHOOK,
    does: 'delete a webhook; its deliveries stay in the log',
    asks({ id, name, webhook_url }) {
      return `Delete the webhook ${name ? `${id} (${name})` : id} to ${webhook_url}?`
    },
  })
}

function addChangeCommand(group: Command): void {
  const command = callCommand(group, 'change', {
    does: 'change a webhook; options that are not given stay as they are',
    examples: [
      ['webhook change Transfers --to https://b.example/hook', 'another destination'],
      ['webhook change Transfers --query new.graphql', 'another query'],
    ],
  }).argument('<webhook>', 'its id or name')
  destination(querySource(command))
    .option('--name <name>', 'a label for your own use')
    .option('--skip-empty <on-or-off>', 'deliver only results that are not empty', onOrOff)
    .option('--ordered <on-or-off>', 'strictly one delivery after the other', onOrOff)
    .option('--notify-removed <on-or-off>', 'notify when a reorg leaves nothing', onOrOff)
    .action(asking(changeWebhook))
}

function addTestCommand(group: Command): void {
  const command = callCommand(group, 'test', {
    does: 'send one signed delivery, and show the destination’s response',
    more: 'Nothing is stored, and it costs nothing. Exit code 1 if it is not accepted.',
    examples: [
      ['webhook test Transfers', 'as that webhook would'],
      ['webhook test --to https://a.example/hook', 'before there is a webhook'],
    ],
  }).argument('[webhook]', 'its id or name')
  destination(querySource(command))
    .option('--network <id>', 'the network (default: the webhook’s, or the only one)')
    .option('--block <block>', 'a number or a hash (default: the newest)')
    .action(asking(testWebhook))
}

function addKeyCommand(group: Command): void {
  callCommand(group, 'rotate-key', {
    does: 'replace the signing key of a webhook',
    more: 'For 24 hours deliveries are signed with the old key, too.',
    examples: [
      ['webhook rotate-key Transfers --prepare', 'show the next key, for receivers to learn'],
      ['webhook rotate-key Transfers --yes', 'sign with it'],
    ],
  })
    .argument('<webhook>', 'its id or name')
    .option('--prepare', 'only show the key that the next rotation switches to')
    .option('--yes', 'do not ask')
    .action(asking(rotateSigningKey))
}

function querySource(command: Command): Command {
  return command
    .option('--query <file>', 'a file with the query, or - for standard input')
    .option('--graphql <text>', 'the query itself')
}

function destination(command: Command): Command {
  return command
    .option('--to <address>', 'where deliveries go: http or https')
    .option('--inbox <name>', 'an inbox of local development, instead of an address')
}
