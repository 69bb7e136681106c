import { ApiError, type Client, createClient } from '@headgate/client'
import { coalesced } from '../../core/async/coalesced.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import type { Calling } from '../connect/run-call.ts'
import { complain } from '../terminal/complain.ts'
import { countText, spanText, timeText } from '../terminal/formats.ts'
import type { Cell, Column } from '../terminal/table-lines.ts'
import { type DeliveryLog, openDeliveryLog } from './delivery-log.ts'
import { type Forwarded, forwardDelivery, TRIES_MAX } from './forward-delivery.ts'
import { type ForwardQueues, type OnItsWay, openForwardQueues } from './forward-queues.ts'

export type ListenOptions = { forward: string; webhook?: string[]; sinceMs?: number }

type Listening = Calling & {
  options: ListenOptions
  /** A client that leaves every text as it is: what is forwarded is signed. */
  exact: Client
  counts: Record<Forwarded['outcome'] | 'left_out', number>
  /** Rejects when forwarding cannot go on. */
  broken: PromiseWithResolvers<never>
}

/** The log is read this often even if the stream tells of nothing. */
const POLL_MS = 10_000

const NO_WEBHOOK =
  'This team has no webhook, so nothing would come. Make one; any destination will do:\n' +
  '  headgate webhook create --help'

export async function runListen(calling: Calling, options: ListenOptions): Promise<void> {
  const { clock, connection } = calling
  const exact = createClient(connection)
  const counts = { accepted: 0, refused: 0, down: 0, timeout: 0, lost: 0, left_out: 0 }
  const broken = Promise.withResolvers<never>()
  const listening: Listening = { ...calling, options, exact, counts, broken }
  await checkWebhooks(listening)

  const named = options.webhook ?? []
  const { sinceMs = null } = options
  const log = openDeliveryLog((parameters) => exact.pages('listDeliveries', { parameters }), {
    webhooks: named,
    sinceMs,
  })
  if (sinceMs === null) await log.skip()
  const queues = openLanes(listening)
  const ended = new AbortController()
  const stop = () => ended.abort()
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const stopped = new Promise<void>((resolve) => {
    ended.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const polling = openPolling(listening, log, queues)
  const cancelPolls = clock.every(POLL_MS, polling.ask)
  const following = follow(listening, log, queues, polling, ended.signal)
  await Promise.race([stopped, following, broken.promise])
  cancelPolls()
  tellSummary(listening, queues.waiting)
  process.exit(0)
}

async function checkWebhooks({ client, options, terminal }: Listening): Promise<void> {
  const { data } = await client.call('listWebhooks')
  const { webhook: named = [] } = options
  const unknown = named.find((id) => !data.some((webhook) => webhook.id === id))
  if (unknown !== undefined) {
    const ids = data.map(({ id }) => id).join(', ') || 'none'
    return complain(`This team has no webhook ${unknown}; it has ${ids}.`, 'failed')
  }
  if (data.length === 0) return complain(NO_WEBHOOK, 'failed')
  const count = named.length === 0 ? data.length : named.length
  const webhooks = countText(count, 'webhook')
  terminal.note(`Forwarding deliveries of ${webhooks} to ${options.forward}. Ctrl-C ends it.`)
}

function openLanes(listening: Listening): ForwardQueues {
  const { exact, clock, terminal, options, counts, broken } = listening
  const { outbound } = openProbeDrivers()
  const show = terminal.rows(FORWARD_COLUMNS)
  const forwarding = { client: exact, clock, outbound, target: options.forward }
  return openForwardQueues({
    triesMax: TRIES_MAX,
    forward: ({ delivery }, triesMax) => {
      const failedTry = (why: string, waitMs: number) =>
        terminal.note(`${options.forward}: ${why}; again in ${spanText(waitMs)}.`)
      return forwardDelivery({ ...forwarding, failedTry }, delivery.id, triesMax)
    },
    forwarded(outgoing, how) {
      counts[how.outcome]++
      const line = { ...outgoing, how, timeMs: clock.nowMs() }
      show(line, forwardDocument(line))
    },
    leftOut({ delivery }) {
      counts.left_out++
      if (counts.left_out === 1) {
        terminal.note(`Too many wait for ${delivery.webhook_id}: the oldest are left out.`)
      }
    },
    failed: broken.reject,
  })
}

/** Reads on in the log, once however often it is asked meanwhile. */
function openPolling({ broken }: Listening, log: DeliveryLog, queues: ForwardQueues) {
  const read = async () => {
    for (const delivery of await log.news()) queues.add({ delivery, isAgain: false })
  }
  return coalesced(read, (thrown) => {
    // Nothing is lost by waiting: the log is read on from where it was.
    const status = thrown instanceof ApiError ? thrown.status : null
    if (status === 0 || status === 429 || (status !== null && status >= 500)) return
    broken.reject(thrown)
  })
}

/** Follows the stream of events until `ended`, over every loss of it. */
async function follow(
  { exact, terminal, options }: Listening,
  log: DeliveryLog,
  queues: ForwardQueues,
  polling: { ask(): void },
  ended: AbortSignal,
): Promise<void> {
  let isLost = false
  const events = exact.events({
    topics: ['deliveries'],
    signal: ended,
    onOpen() {
      if (isLost) terminal.note('Headgate is there again; resuming where it was.')
      isLost = false
      polling.ask()
    },
    onLost() {
      if (!isLost) terminal.note('The stream of Headgate is lost; trying again.')
      isLost = true
    },
  })
  for await (const { name, data: delivery } of events) {
    if (name === 'gap') polling.ask()
    if (name !== 'delivery') continue
    if (options.webhook && !options.webhook.includes(delivery.webhook_id)) continue
    if (log.isAgain(delivery)) queues.add({ delivery, isAgain: true })
    else if (log.isDue(delivery)) polling.ask()
  }
}

function tellSummary({ terminal, counts }: Listening, waiting: number): void {
  const { accepted, refused, down, timeout, lost, left_out } = counts
  const parts = [
    `${accepted} accepted`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(down + timeout > 0 ? [`${down + timeout} without an answer`] : []),
    ...(lost > 0 ? [`${lost} not kept any more`] : []),
    ...(left_out > 0 ? [`${left_out} left out`] : []),
    ...(waiting > 0 ? [`${waiting} still waiting`] : []),
  ]
  const tell = () => terminal.note('', `${parts.join(', ')}.`)
  terminal.stream({ summary: { ...counts, waiting } }, tell)
}

type ForwardLine = OnItsWay & { how: Forwarded; timeMs: number }

const OUTCOME_WORDS = {
  accepted: '',
  refused: '',
  down: 'nobody listens',
  timeout: 'no answer in time',
  lost: 'its body is not kept any more',
} as const

const FORWARD_COLUMNS: readonly Column<ForwardLine>[] = [
  { title: 'time', of: ({ timeMs }) => timeText(timeMs).slice(11), width: 8 },
  { title: 'webhook', of: ({ delivery }) => delivery.webhook_id, width: 19 },
  { title: 'block', of: ({ delivery }) => blockOf(delivery), width: 11, align: 'right' },
  { title: 'status', of: ({ how }) => statusOf(how), width: 6, align: 'right' },
  { title: 'ms', of: ({ how }) => Math.round(how.ms), width: 5, align: 'right' },
  { title: '', of: (line) => remarks(line) || ' ' },
]

function forwardDocument({ delivery, how, timeMs, isAgain }: ForwardLine) {
  return {
    time: timeMs,
    delivery_id: delivery.id,
    webhook_id: delivery.webhook_id,
    network: delivery.network,
    block_number: delivery.block_number,
    sequence_number: delivery.sequence_number,
    rerun: delivery.rerun,
    replay: delivery.replay,
    again: isAgain,
    outcome: how.outcome,
    status_code: how.status,
    ms: Math.round(how.ms),
    tries: how.tries,
    bytes: how.bytes,
  }
}

function blockOf({ kind, block_number }: ForwardLine['delivery']): Cell {
  return kind === 'error' ? 'error' : block_number
}

function statusOf({ outcome, status }: Forwarded): Cell {
  return { text: String(status ?? '–'), colour: outcome === 'accepted' ? 'green' : 'red' }
}

function remarks({ delivery, how, isAgain }: ForwardLine): string {
  return [
    OUTCOME_WORDS[how.outcome],
    how.tries > 1 ? `${how.tries} tries` : '',
    delivery.rerun ? 're-run' : '',
    delivery.replay ? 'replay' : '',
    isAgain && !delivery.replay ? 'sent again' : '',
  ]
    .filter((words) => words !== '')
    .join(', ')
}
