import type { WireDelivery } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { readExactJson } from '../../terminal/exact-json.ts'
import { bytesText, countText, spanText, whenText } from '../../terminal/formats.ts'
import { type Cell, type Column, marksCell } from '../../terminal/table-lines.ts'
import { findNamed } from '../plain/find-named.ts'
import { plainFacts, sayTable, stateColour } from '../plain/plain-view.ts'
import { readPages } from '../read-pages.ts'

type LogOptions = {
  follow?: boolean
  limit: number
  status?: WireDelivery['status']
  block?: number
  rerun?: boolean
  since?: string
}

const PAGE_MAX = 1000

const DELIVERY_FIELDS = [
  'id',
  'webhook_id',
  'network',
  'block_number',
  'block_hash',
  'sequence_number',
  'status',
  'time_created',
  'time_due',
  'bytes',
]

const ATTEMPT_FIELDS = [
  'time_started',
  'status_code',
  'fault',
  'ms.total',
  'queue',
  'address',
  'response_start',
]

export async function showDeliveries(
  calling: Calling,
  idOrName: string | undefined,
  options: LogOptions,
): Promise<void> {
  const { terminal, clock } = calling
  const webhookId =
    idOrName === undefined ? undefined : (await findNamed(calling, 'listWebhooks', idOrName)).id
  const deliveries = await newestDeliveries(calling, webhookId, options)
  if (options.follow) return followDeliveries(calling, webhookId, options, deliveries)
  terminal.show(deliveries, () => {
    if (deliveries.length === 0) return terminal.say('There are no such deliveries.')
    terminal.table(deliveryColumns(webhookId, clock.nowMs()), deliveries)
    if (deliveries.length === options.limit) {
      const shown = countText(deliveries.length, 'delivery', 'deliveries')
      terminal.note('', `The newest ${shown}; --limit shows more.`)
    }
  })
}

export async function showOneDelivery(calling: Calling, id: string): Promise<void> {
  const { client, terminal } = calling
  const { data } = await client.call('getDelivery', { parameters: { id } })
  terminal.show(data, () => {
    terminal.facts(plainFacts(data, DELIVERY_FIELDS))
    if (data.attempts.length > 0) {
      terminal.say('')
      sayTable(calling, ATTEMPT_FIELDS, data.attempts)
    }
    if (data.body === null) return
    terminal.say('')
    try {
      terminal.json(readExactJson(data.body))
    } catch {
      terminal.say(data.body)
    }
  })
}

async function newestDeliveries(
  { client }: Calling,
  webhook_id: string | undefined,
  { limit, status, block, rerun, since }: LogOptions,
): Promise<WireDelivery[]> {
  const pages = client.pages('listDeliveries', {
    parameters: {
      limit: Math.min(PAGE_MAX, limit),
      webhook_id,
      status,
      block,
      rerun: rerun ? 'true' : undefined,
      after: since,
    },
  })
  return (await readPages(pages, limit)).reverse()
}

async function followDeliveries(
  calling: Calling,
  webhookId: string | undefined,
  { status, block, rerun }: LogOptions,
  known: readonly WireDelivery[],
): Promise<void> {
  const { terminal } = calling
  const columns = deliveryColumns(webhookId, null)
  const show = terminal.rows(columns)
  for (const delivery of known) show(delivery)
  if (!terminal.isJson) terminal.note('Waiting for deliveries; Ctrl-C ends it.')
  const events = calling.client.events({
    topics: ['deliveries'],
    ...(webhookId !== undefined && { webhookId }),
    onLost: () => terminal.note('The stream broke; connecting again.'),
  })
  for await (const { name, data: delivery } of events) {
    if (name === 'gap') terminal.note('Some deliveries were missed; the log has them.')
    if (name !== 'delivery') continue
    // One that was only just created tells nothing: its first attempt follows.
    const isNews = delivery.attempts_made > 0 || delivery.status !== 'waiting'
    const isAsked =
      (status === undefined || delivery.status === status) &&
      (block === undefined || delivery.block_number === block) &&
      (!rerun || delivery.rerun)
    if (isNews && isAsked) show(delivery)
  }
}

/** With the time of the clock where lines stay as they are, else as seen from now. */
function deliveryColumns(
  webhookId: string | undefined,
  nowMs: number | null,
): Column<WireDelivery>[] {
  const isOfAll = webhookId === undefined
  const webhook = { title: 'webhook', of: ({ webhook_id }: WireDelivery) => webhook_id, width: 19 }
  return [
    { title: 'created', of: ({ time_created }) => whenText(time_created, nowMs), width: 8 },
    { title: 'block', of: ({ block_number }) => block_number, align: 'right', width: 6 },
    {
      title: 'sequence',
      of: ({ sequence_number }) => sequence_number,
      align: 'right',
      width: 13,
      // Numbers of one webhook are compared with each other; among all it is in the way.
      isExtra: isOfAll,
    },
    {
      title: 'status',
      of: ({ status }) => ({ text: status, colour: stateColour(status) }),
      width: 9,
    },
    { title: 'answer', of: answerCell, width: 7 },
    { title: 'tries', of: ({ attempts_made }) => attempts_made, align: 'right', width: 5 },
    ...(isOfAll ? [webhook] : []),
    {
      title: 'marks',
      of: ({ kind, rerun, superseded, replay }) =>
        marksCell({ error: kind === 'error', 're-run': rerun, superseded, replay }),
      width: 10,
    },
    { title: 'delivery', of: ({ id }) => id, width: 22, isExtra: true },
    {
      title: 'took',
      of: ({ took_ms }) => (took_ms === null ? null : spanText(took_ms)),
      align: 'right',
      width: 6,
      isExtra: true,
    },
    {
      title: 'size',
      of: ({ bytes }) => (bytes === null ? null : bytesText(bytes)),
      align: 'right',
      width: 8,
      isExtra: true,
    },
  ]
}

function answerCell({ status_code, fault }: WireDelivery): Cell {
  if (fault !== null) return { text: fault, colour: 'red' }
  if (status_code === null) return null
  return { text: String(status_code), colour: status_code < 300 ? 'green' : 'red' }
}
