import type { Command } from 'commander'
import type { WebhookFields } from '../../calls/webhooks/create-webhook.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, onOrOff } from './call-command.ts'
import { addDeliveryCommands } from './delivery-commands.ts'

type Said = ConnectionOptions
type Fields = Said & WebhookFields

/** `headgate webhook`: queries that run on every block, and where their results go. */
export function addWebhookCommand(program: Command): void {
  const group = callGroup(program, 'webhook', {
    does: 'make webhooks, watch them, and replay the past',
    more: 'A webhook is named by its id, or by its name where one alone has it.',
    examples: [
      ['webhook create --inbox demo --graphql "{ block { number } }"', 'in local development'],
      ['webhook logs --follow', 'deliveries as they happen'],
    ],
  })
  addCreateCommand(group)
  addSeeCommands(group)
  addPauseCommands(group)
  addChangeCommands(group)
  addDeliveryCommands(group)
  addKeyCommand(group)
}

function addCreateCommand(group: Command): void {
  const command = callCommand(group, 'create', {
    does: 'make a webhook; its signing key is shown',
    examples: [
      [
        'webhook create --network ETH_MAINNET --query transfers.graphql --to https://a.example/hook',
        'a query of a file, to an app of yours',
      ],
      ['webhook create --inbox demo --graphql "{ block { number hash } }"', 'to an inbox'],
      ['webhook create --query - --inbox demo < q.graphql', 'from standard input'],
    ],
  })
  querySource(command)
  destination(command)
    .option('--network <id>', 'the network (default: the only one that there is)')
    .option('--name <name>', 'words of your own')
    .option('--app <id>', 'the app that deliveries are accounted to')
    .option('--skip-empty', 'deliver only results that are not empty')
    .option('--ordered', 'strictly one delivery after the other')
    .option('--notify-removed', 'with --skip-empty: tell when a reorganisation leaves nothing')
    .action((options: Fields) =>
      runCall(options, async (calling) => {
        const { createWebhook } = await import('../../calls/webhooks/create-webhook.ts')
        await createWebhook(calling, options)
      }),
    )
}

function addSeeCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list the team’s webhooks, and how they do',
    examples: [
      ['webhook list', 'with what became of the last day'],
      ['webhook list --json | jq ".[].id"', 'their ids'],
    ],
  }).action((options: Said) =>
    runCall(options, async (calling) => {
      const { listWebhooks } = await import('../../calls/webhooks/list-webhooks.ts')
      await listWebhooks(calling)
    }),
  )

  callCommand(group, 'get', {
    does: 'show one webhook with its query',
    examples: [['webhook get Transfers --show-key', 'with its signing key']],
  })
    .argument('<webhook>', 'its id or name')
    .option('--show-key', 'show the signing key, too')
    .action((id: string, options: Said & { showKey?: boolean }) =>
      runCall(options, async (calling) => {
        const { showWebhook } = await import('../../calls/webhooks/list-webhooks.ts')
        await showWebhook(calling, id, options)
      }),
    )
}

function addPauseCommands(group: Command): void {
  callCommand(group, 'pause', {
    does: 'pause a webhook: nothing is evaluated or sent for it',
    examples: [['webhook pause Transfers', 'until it is resumed']],
  })
    .argument('<webhook>', 'its id or name')
    .action((id: string, options: Said) => activate(id, options, true))

  callCommand(group, 'resume', {
    does: 'let a webhook go on with the next block, whatever paused it',
    examples: [['webhook resume Transfers', 'what was due before goes out, too']],
  })
    .argument('<webhook>', 'its id or name')
    .action((id: string, options: Said) => activate(id, options, false))
}

function addChangeCommands(group: Command): void {
  const command = callCommand(group, 'change', {
    does: 'change a webhook; what is not given stays',
    examples: [
      ['webhook change Transfers --to https://b.example/hook', 'another destination'],
      ['webhook change Transfers --query new.graphql', 'another query'],
    ],
  }).argument('<webhook>', 'its id or name')
  querySource(command)
  destination(command)
    .option('--name <name>', 'words of your own')
    .option('--skip-empty <on-or-off>', 'deliver only results that are not empty', onOrOff)
    .option('--ordered <on-or-off>', 'strictly one delivery after the other', onOrOff)
    .option('--notify-removed <on-or-off>', 'tell when a reorganisation leaves nothing', onOrOff)
    .action((id: string, options: Fields) =>
      runCall(options, async (calling) => {
        const { changeWebhook } = await import('../../calls/webhooks/change-webhook.ts')
        await changeWebhook(calling, id, options)
      }),
    )

  callCommand(group, 'delete', {
    does: 'delete a webhook',
    examples: [['webhook delete Transfers --yes', 'without asking']],
  })
    .argument('<webhook>', 'its id or name')
    .option('--yes', 'do not ask')
    .action((id: string, options: Said & { yes?: boolean }) =>
      runCall(options, async (calling) => {
        const { deleteWebhook } = await import('../../calls/webhooks/change-webhook.ts')
        await deleteWebhook(calling, id, options)
      }),
    )

  const test = callCommand(group, 'test', {
    does: 'send one signed delivery, and tell what the destination answers',
    more: 'Nothing is stored, and it costs nothing. Exit code 1 where it is not accepted.',
    examples: [
      ['webhook test Transfers', 'as that webhook would'],
      ['webhook test --to https://a.example/hook', 'before there is a webhook'],
    ],
  }).argument('[webhook]', 'its id or name')
  querySource(test)
  destination(test)
    .option('--network <id>', 'the network (default: the webhook’s, or the only one)')
    .option('--block <block>', 'a number or a hash (default: the newest)')
    .action((id: string | undefined, options: Fields & { block?: string }) =>
      runCall(options, async (calling) => {
        const { testWebhook } = await import('../../calls/webhooks/test-webhook.ts')
        await testWebhook(calling, id, options)
      }),
    )
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
    .action((id: string, options: Said & { prepare?: boolean; yes?: boolean }) =>
      runCall(options, async (calling) => {
        const { rotateSigningKey } = await import('../../calls/webhooks/change-webhook.ts')
        await rotateSigningKey(calling, id, options)
      }),
    )
}

function activate(id: string, options: Said, pause: boolean): Promise<void> {
  return runCall(options, async (calling) => {
    const { activateWebhook } = await import('../../calls/webhooks/change-webhook.ts')
    await activateWebhook(calling, id, !pause)
  })
}

/** The ways to give a query. */
function querySource(command: Command): Command {
  return command
    .option('--query <file>', 'a file with the query, or - for standard input')
    .option('--graphql <text>', 'the query itself')
}

/** The ways to say where deliveries go. */
function destination(command: Command): Command {
  return command
    .option('--to <address>', 'where deliveries go: http or https')
    .option('--inbox <name>', 'an inbox of local development, instead of an address')
}
