import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { findNamed } from '../plain/find-named.ts'
import { sayPlain } from '../plain/plain-view.ts'
import { withQueryFaults } from '../queries/query-faults.ts'
import { networkFor, readQuery } from '../queries/query-source.ts'
import { destinationOf, type WebhookFields } from './create-webhook.ts'

type TestOptions = WebhookFields & { block?: string }

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
    return complain('Where to? Give a webhook, --to or --inbox.', 'badInput')
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
  terminal.show(data, () => {
    const { accepted, status_code, fault, signing_key, ...shown } = data
    const answer = status_code === null ? `no answer (${fault})` : `${status_code}`
    const { green, red } = terminal.colours
    terminal.say(
      accepted
        ? green(`The destination accepted it: ${answer}.`)
        : red(`The destination did not accept it: ${answer}.`),
      '',
    )
    const signed = { signed_with: `${signing_key}, a key for this test only` }
    sayPlain(calling, { destination: webhook_url, ...shown, ...signed }, {})
  })
  if (!data.accepted) process.exitCode = EXIT_CODES.failed
}

const DEFAULT_QUERY = '{ block { number hash } }'
