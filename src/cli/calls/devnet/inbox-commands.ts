import type { Command } from 'commander'
import type { WireArrival, WireInbox } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { bytesText, countText, whenText } from '../../terminal/formats.ts'
import { type Cell, type Column, marksCell } from '../../terminal/table-lines.ts'
import { asking, callCommand, wholeNumber } from '../call-command.ts'
import { plainCommand } from '../plain/plain-command.ts'

type InboxOptions = { follow?: boolean; limit: number }

/** Arrivals of one page, as many as the call gives. */
const PAGE_MAX = 100

/** Inboxes have no event stream. */
const POLL_MS = 500

export function addInboxCommands(group: Command): void {
  callCommand(group, 'inbox', {
    does: 'show what arrived at an inbox, with its marks',
    more:
      'Marks: re-run (a reorg replaced its height), superseded (a later one is right), repeat (a ' +
      'retry, a resend or a replay), replay, gap before (the one before is missing).',
    examples: [
      ['devnet inbox', 'the inbox demo'],
      ['devnet inbox orders --follow', 'another one, as things arrive'],
      ['devnet inbox --limit 500 --json', 'all of it, for scripts'],
    ],
  })
    .argument('[name]', 'the inbox', 'demo')
    .option('-f, --follow', 'keep showing what arrives; with --json a line each')
    .option('--limit <count>', 'how many, the newest', wholeNumber(1), 20)
    .action(asking(showInbox))

  plainCommand(group, 'inboxes', 'listInboxes', {
    does: 'list the inboxes that something was posted to',
    fields: ['name', 'arrivals', 'time_last', 'behaviour', 'status', 'delay_ms', 'url'],
  })
  plainCommand(group, 'answer', 'changeInbox', {
    does: 'set how an inbox responds, to see retries and pauses',
    arguments: { name: 'name', behaviour: 'behaviour' },
    flags: { status: '--status <code>' },
    examples: [
      ['devnet answer demo fail --status 503', 'deliveries are retried'],
      ['devnet answer demo accept', 'as before'],
    ],
  })
  plainCommand(group, 'empty', 'emptyInbox', {
    does: 'delete what arrived at an inbox',
    arguments: { name: 'name' },
  })
}

async function showInbox(
  calling: Calling,
  name: string,
  { follow = false, limit }: InboxOptions,
): Promise<void> {
  const { terminal } = calling
  const { inbox, arrivals } = await newestArrivals(calling, name, limit)
  if (follow) return followInbox(calling, name, arrivals)
  terminal.show(arrivals, () => {
    if (arrivals.length === 0) {
      terminal.say(`Nothing has arrived at ${inbox.url} yet.`)
      terminal.say(`\`headgate webhook create --inbox ${name}\` makes a webhook that goes there.`)
      return
    }
    terminal.table(arrivalColumns(calling.clock.nowMs()), arrivals)
    const more = inbox.arrivals - arrivals.length
    if (more > 0) terminal.note('', `${countText(more, 'older one')} left out; --limit shows more.`)
  })
}

async function newestArrivals({ client }: Calling, name: string, limit: number) {
  const parameters = { name, limit: Math.min(PAGE_MAX, limit) }
  let inbox: WireInbox | undefined
  const arrivals: WireArrival[] = []
  for await (const page of client.pages('listInboxArrivals', { parameters })) {
    inbox ??= page.inbox
    arrivals.push(...page.data)
    if (arrivals.length >= limit) break
  }
  return { inbox: inbox as WireInbox, arrivals: arrivals.slice(0, limit).reverse() }
}

async function followInbox(calling: Calling, name: string, known: WireArrival[]): Promise<never> {
  const { terminal, clock } = calling
  let last = known.at(-1)?.id ?? -1
  const columns = arrivalColumns(null)
  if (!terminal.isJson) terminal.note(`Waiting at the inbox ${name}; Ctrl-C ends it.`)
  const show = terminal.rows(columns)
  for (const arrival of known) show(arrival)
  for (;;) {
    await clock.sleep(POLL_MS)
    const { arrivals } = await newestArrivals(calling, name, PAGE_MAX)
    const fresh = arrivals.filter(({ id }) => id > last)
    last = fresh.at(-1)?.id ?? last
    for (const arrival of fresh) show(arrival)
  }
}

/** With the time of the clock where lines stay as they are, else as seen from now. */
function arrivalColumns(nowMs: number | null): Column<WireArrival>[] {
  return [
    { title: 'arrived', of: ({ time }) => whenText(time, nowMs), width: 8 },
    { title: 'block', of: ({ block_number }) => block_number, align: 'right', width: 6 },
    { title: 'sequence', of: ({ sequence_number }) => sequence_number, align: 'right', width: 13 },
    { title: 'signature', of: signatureCell, width: 9 },
    { title: 'answered', of: answeredCell, width: 8 },
    { title: 'marks', of: arrivalMarks, width: 10 },
    { title: 'delivery', of: ({ delivery_id }) => delivery_id, width: 22, isExtra: true },
    { title: 'size', of: ({ bytes }) => bytesText(bytes), align: 'right', width: 8, isExtra: true },
  ]
}

function signatureCell({ signature }: WireArrival): Cell {
  return { text: signature, colour: signature === 'valid' ? 'green' : 'red' }
}

function answeredCell({ status_answered }: WireArrival): Cell {
  if (status_answered === null) return { text: 'not yet', colour: 'dim' }
  const isGood = status_answered >= 200 && status_answered < 300
  return { text: String(status_answered), colour: isGood ? 'green' : 'red' }
}

function arrivalMarks(arrival: WireArrival): Cell {
  return marksCell({
    error: arrival.kind === 'error',
    're-run': arrival.is_rerun,
    superseded: arrival.is_superseded,
    repeat: arrival.is_repeat,
    replay: arrival.is_replay,
    'gap before': arrival.is_gap,
  })
}
