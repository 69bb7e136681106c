import type { TestWebhookAttempt } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { bytesText, numberText, spanText } from '../../terminal/formats.ts'
import { findNamed } from '../plain/find-named.ts'
import { withQueryFaults } from '../queries/query-faults.ts'
import { networkFor, readQuery } from '../queries/query-source.ts'
import { destinationOf, type WebhookFields } from './create-webhook.ts'

type TestOptions = WebhookFields & { block?: string }

/** Sends one delivery to a destination, as a webhook would, and tells what came of it. */
export async function testWebhook(
  calling: Calling,
  idOrName: string | undefined,
  options: TestOptions,
): Promise<void> {
  const { client, terminal } = calling
  const webhook = idOrName === undefined ? null : await findNamed(calling, 'listWebhooks', idOrName)
  const text = (await readQuery(options)) ?? webhook?.graphql_query.query ?? DEFAULT_QUERY
  const webhook_url = (await destinationOf(calling, options)) ?? webhook?.webhook_url
  if (webhook_url === undefined) {
    return complain('Where to? Give a webhook, --to or --inbox.', EXIT_CODES.badInput)
  }
  const network = webhook?.network ?? (await networkFor(calling, options.network))
  const { block } = options
  const { data } = await withQueryFaults(calling, { text, network }, () =>
    client.call('testWebhook', {
      body: {
        webhook_url,
        graphql_query: text,
        network,
        ...(block !== undefined && block !== 'latest' && { block }),
      },
    }),
  )
  const { green, red } = terminal.colours
  terminal.show(data, () => {
    const answer = data.status_code === null ? `no answer (${data.fault})` : `${data.status_code}`
    terminal.say(
      data.accepted
        ? green(`The destination accepted it: ${answer}.`)
        : red(`The destination did not accept it: ${answer}.`),
      '',
    )
    terminal.facts([
      ['destination', webhook_url],
      ['block', `${data.block.number}  ${data.block.hash}`],
      ['sent', `${bytesText(data.bytes)}; such a delivery costs ${numberText(data.cu)} CU`],
      ['took', tookText(data.ms)],
      ['it said', data.response_start.trim() || null],
      ['signed with', `${data.signing_key}, made for this one`],
    ])
  })
  if (!data.accepted) process.exitCode = EXIT_CODES.failed
}

const DEFAULT_QUERY = '{ block { number hash } }'

function tookText({ total, lookup, connect, tls, answer }: TestWebhookAttempt['ms']): string {
  const steps = [
    `look-up ${spanText(lookup)}`,
    `connect ${spanText(connect)}`,
    `TLS ${spanText(tls)}`,
    `answer ${spanText(answer)}`,
  ]
  return `${spanText(total)} (${steps.join(', ')})`
}
