import { ApiError } from '@headgate/client'
import type { WireReplay, WireWebhook } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { bytesText, countText, numberText } from '../../terminal/formats.ts'
import { progressBar } from '../../terminal/progress-bar.ts'
import { findNamed } from '../plain/find-named.ts'
import { sayPlain } from '../plain/plain-view.ts'

type ReplayOptions = { from: number; to: number | 'latest'; yes?: boolean; detach?: boolean }

const POLL_MS = 500

const BAR_COLUMNS = 30

export async function replayWebhook(
  calling: Calling,
  idOrName: string,
  { from, to, yes = false, detach = false }: ReplayOptions,
): Promise<void> {
  const { client, terminal } = calling
  const webhook = await findNamed(calling, 'listWebhooks', idOrName)
  const to_block = to === 'latest' ? await headOf(calling, webhook.network) : to
  if (to_block < from) complain('--from comes after --to.', 'badInput')
  const blocks = to_block - from + 1
  if (!yes) {
    const range = `${countText(blocks, 'block')} (${from} to ${to_block})`
    terminal.note(`${range} of ${webhook.network} for ${webhook.id}.`)
    terminal.note(await priceText(calling, webhook, blocks))
    await confirm('Replay them?', { yes })
  }
  const { data: replay } = await client.call('replayWebhook', {
    body: { webhook_id: webhook.id, from_block: from, to_block },
  })
  const done = detach ? replay : await watchReplay(calling, replay)
  terminal.show(done, () => sayPlain(calling, done, {}))
  if (done.state === 'failed') process.exitCode = EXIT_CODES.failed
}

async function headOf({ client }: Calling, network: string): Promise<number> {
  const { data } = await client.call('listNetworks')
  const head = data.find(({ id }) => id === network)?.head
  return head?.number ?? complain(`${network} has no head yet.`, 'failed')
}

/** An estimate by the newest blocks; a replay is not refused where none can be made. */
async function priceText({ client }: Calling, webhook: WireWebhook, blocks: number) {
  const { network, graphql_query } = webhook
  const asked = { body: { network, graphql_query, blocks: 50 } }
  const answer = await client.call('estimateQuery', asked).catch((thrown) => {
    if (thrown instanceof ApiError && thrown.status !== 0) return null
    throw thrown
  })
  if (answer === null || answer.data.blocks === 0) return 'What it costs cannot be estimated now.'
  const { data } = answer
  const scale = blocks / data.blocks
  const deliveries = countText(Math.round(data.delivered * scale), 'delivery', 'deliveries')
  const bytes = bytesText(Math.round(data.bytes * scale))
  const cu = numberText(Math.round(data.cu * scale))
  const basis = `at the pace of the newest ${countText(data.blocks, 'block')}`
  return `It comes to about ${deliveries}, ${bytes} and ${cu} CU, ${basis}.`
}

async function watchReplay(calling: Calling, started: WireReplay): Promise<WireReplay> {
  const { client, terminal, clock } = calling
  terminal.note(`Started ${started.id}. Ctrl-C stops watching it; it goes on by itself.`)
  let replay = started
  while (replay.state === 'running') {
    terminal.progress(progressText(replay))
    await clock.sleep(POLL_MS)
    replay = (await client.call('getReplay', { parameters: { id: started.id } })).data
  }
  terminal.progress(null)
  return replay
}

function progressText({ from_block, to_block, next_block, error }: WireReplay): string {
  const share = (next_block - from_block) / (to_block - from_block + 1)
  const why = error === null ? '' : `: ${error}`
  const bar = progressBar(share, BAR_COLUMNS)
  return `${bar}  block ${next_block} of ${to_block}${why}`.slice(0, 79)
}
