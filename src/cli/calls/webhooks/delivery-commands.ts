import { type Command, InvalidArgumentError, Option } from 'commander'
import { asking, callCommand, wholeNumber } from '../call-command.ts'
import { plainCommand } from '../plain/plain-command.ts'
import { replayWebhook } from './replay-webhook.ts'
import { showDeliveries, showOneDelivery } from './show-deliveries.ts'

export function addDeliveryCommands(group: Command): void {
  addLogCommands(group)
  addReplayCommands(group)
}

function addLogCommands(group: Command): void {
  const statuses = ['waiting', 'delivered', 'failed', 'cancelled']
  callCommand(group, 'logs', {
    does: 'show the log of deliveries, the newest last',
    more: 'Marks: re-run (a reorg replaced its height), superseded (a later one is right).',
    examples: [
      ['webhook logs Transfers --follow', 'as they happen'],
      ['webhook logs --status failed --limit 1000', 'all that failed'],
      ['webhook logs --rerun --since 2026-11-15', 'those that ran again after reorgs'],
    ],
  })
    .argument('[webhook]', 'its id or name; without it, of all')
    .option('-f, --follow', 'keep showing new ones; with --json a line each')
    .addOption(new Option('--status <status>', 'only those with this status').choices(statuses))
    .option('--block <height>', 'only those of this height', wholeNumber(0))
    .option('--rerun', 'only those that ran again after a reorg')
    .option('--since <moment>', 'only those created since: a date, or ISO 8601 with a zone')
    .option('--limit <count>', 'how many, the newest', wholeNumber(1), 20)
    .action(asking(showDeliveries))

  callCommand(group, 'delivery', {
    does: 'show one delivery with its body and every attempt',
    examples: [['webhook delivery whevt_5q8w2e7r4t1y9u3i', 'the request and the responses']],
  })
    .argument('<id>', 'the delivery’s id, as webhook logs shows it')
    .action(asking(showOneDelivery))

  plainCommand(group, 'resend', 'resendDelivery', {
    does: 'send a delivery again, with the same id and body',
    arguments: { id: 'id' },
  })
}

function addReplayCommands(group: Command): void {
  callCommand(group, 'replay', {
    does: 'run a webhook on past blocks, and deliver the results',
    more:
      'Shows the likely cost and asks first. The replay continues whether or not this command ' +
      'watches it.',
    examples: [
      ['webhook replay Transfers --from 23799000 --to 23799999', 'a thousand blocks'],
      ['webhook replay Transfers --from 23799000 --to latest --yes --detach', 'in a script'],
    ],
  })
    .argument('<webhook>', 'its id or name')
    .requiredOption('--from <block>', 'the first block', wholeNumber(0))
    .requiredOption('--to <block>', 'the last block, or latest', blockOrLatest)
    .option('--yes', 'do not ask')
    .option('--detach', 'do not wait until it is done')
    .action(asking(replayWebhook))

  plainCommand(group, 'replays', 'listReplays', {
    does: 'list replays, the newest first',
    fields: [
      'id',
      'webhook_id',
      'state',
      'from_block',
      'to_block',
      'next_block',
      'delivered',
      'time_created',
      'error',
    ],
  })
  plainCommand(group, 'cancel-replay', 'cancelReplay', {
    arguments: { id: 'id' },
  })
}

function blockOrLatest(text: string): number | 'latest' {
  if (text === 'latest') return text
  try {
    return wholeNumber(0)(text)
  } catch {
    throw new InvalidArgumentError('It takes a block number, or latest.')
  }
}
