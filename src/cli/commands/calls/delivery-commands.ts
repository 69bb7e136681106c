import { type Command, InvalidArgumentError, Option } from 'commander'
import type { WireDelivery } from '../../../http/contract/contract.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { runCall } from '../../connect/run-call.ts'
import { callCommand, wholeNumber } from './call-command.ts'

type Said = ConnectionOptions

type LogOptions = Said & {
  follow?: boolean
  limit: number
  status?: WireDelivery['status']
  block?: number
  rerun?: boolean
  since?: string
}

type ReplayOptions = Said & {
  from: number
  to: number | 'latest'
  yes?: boolean
  detach?: boolean
}

/** The commands of `headgate webhook` about what was delivered, and what is to be again. */
export function addDeliveryCommands(group: Command): void {
  addLogCommand(group)
  addOneDeliveryCommands(group)
  addReplayCommands(group)
}

function addLogCommand(group: Command): void {
  const statuses = ['waiting', 'delivered', 'failed', 'cancelled']
  callCommand(group, 'logs', {
    does: 'show the log of deliveries, the newest last',
    more: 'Marks: re-run (a reorganisation replaced its height), superseded (a later one is right).',
    examples: [
      ['webhook logs Transfers --follow', 'as they happen'],
      ['webhook logs --status failed --limit 1000', 'all that failed'],
      ['webhook logs --rerun --since 2026-11-15', 'what reorganisations ran again'],
    ],
  })
    .argument('[webhook]', 'its id or name; without it, of all')
    .option('-f, --follow', 'go on to show them; with --json a line each')
    .addOption(new Option('--status <status>', 'only those that are so').choices(statuses))
    .option('--block <height>', 'only those of this height', wholeNumber(0))
    .option('--rerun', 'only those that a reorganisation ran again')
    .option('--since <moment>', 'only those created since: a date, or ISO 8601 with a zone')
    .option('--limit <count>', 'how many, the newest', wholeNumber(1), 20)
    .action((id: string | undefined, options: LogOptions) =>
      runCall(options, async (calling) => {
        const { showDeliveries } = await import('../../calls/webhooks/show-deliveries.ts')
        await showDeliveries(calling, id, options)
      }),
    )
}

function addOneDeliveryCommands(group: Command): void {
  callCommand(group, 'delivery', {
    does: 'show one delivery with its body and every attempt',
    examples: [['webhook delivery whevt_5q8w2e7r4t1y9u3i', 'what was sent, what was answered']],
  })
    .argument('<id>', 'the delivery’s id, as webhook logs shows it')
    .action((id: string, options: Said) =>
      runCall(options, async (calling) => {
        const { showOneDelivery } = await import('../../calls/webhooks/one-delivery.ts')
        await showOneDelivery(calling, id)
      }),
    )

  callCommand(group, 'resend', {
    does: 'send a delivery again, with the same id and body',
    examples: [['webhook resend whevt_5q8w2e7r4t1y9u3i', 'it is billed again when accepted']],
  })
    .argument('<id>', 'the delivery’s id')
    .action((id: string, options: Said) =>
      runCall(options, async (calling) => {
        const { resendDelivery } = await import('../../calls/webhooks/one-delivery.ts')
        await resendDelivery(calling, id)
      }),
    )
}

function addReplayCommands(group: Command): void {
  callCommand(group, 'replay', {
    does: 'run a webhook on blocks of the past, and deliver the results',
    more:
      'Says what it is likely to cost and asks first. It goes on by itself, whether or not this ' +
      'command watches it.',
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
    .action((id: string, options: ReplayOptions) =>
      runCall(options, async (calling) => {
        const { replayWebhook } = await import('../../calls/webhooks/replay-webhook.ts')
        await replayWebhook(calling, id, options)
      }),
    )

  callCommand(group, 'replays', {
    does: 'list replays, the newest first',
    examples: [['webhook replays', 'and how far they are']],
  }).action((options: Said) =>
    runCall(options, async (calling) => {
      const { listReplays } = await import('../../calls/webhooks/replay-webhook.ts')
      await listReplays(calling)
    }),
  )

  callCommand(group, 'cancel-replay', {
    does: 'cancel a replay',
    examples: [['webhook cancel-replay rpl_3d6f9g2h5j8k1l4z', 'no further block is evaluated']],
  })
    .argument('<id>', 'the replay’s id')
    .action((id: string, options: Said) =>
      runCall(options, async (calling) => {
        const { cancelReplay } = await import('../../calls/webhooks/replay-webhook.ts')
        await cancelReplay(calling, id)
      }),
    )
}

function blockOrLatest(text: string): number | 'latest' {
  if (text === 'latest') return text
  try {
    return wholeNumber(0)(text)
  } catch {
    throw new InvalidArgumentError('It takes a block number, or latest.')
  }
}
