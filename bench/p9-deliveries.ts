import {
  compare,
  type Effort,
  inTurns,
  type Result,
  ratioOf,
  type Sample,
  target,
} from './compare.ts'
import { type DeliverySender, startDeliverySender, startReceivers } from './contenders.ts'
import type { SenderOrder } from './delivery-sender.ts'
import type { StandWebhook } from './delivery-stand.ts'

const HOSTS = 20
const WEBHOOKS = 100
const DELIVERIES = 40_000

/** The speed of the machine changes from minute to minute, and not for both ways alike. */
const ROUNDS = 12

/** Processes of each way that take turns: the same code is compiled better in one than another. */
const PROCESSES = 3
const DELIVERIES_TINY = 400

/**
 * Not counted: hosts are given more at once only as they show that they can take it, and the
 * runtime goes on compiling what it sees often for some hundred thousand deliveries.
 */
const WARM_UP = 4

const TEAM = 'team_bench'

/** P9: durable deliveries, against a loop of bare signed POSTs through the same client. */
export async function deliveries(effort: Effort): Promise<Result> {
  const receivers = await startReceivers(HOSTS, 0)
  const webhooks = webhooksOn(receivers.healthy, WEBHOOKS, TEAM)
  const count = effort.rounds > 1 ? DELIVERIES : DELIVERIES_TINY
  const processes = effort.rounds > 1 ? PROCESSES : 1
  const rounds = effort.rounds > 1 ? ROUNDS : 1
  const bare = await startSenders({ way: 'bare', webhooks }, processes)
  const durable = await startSenders({ way: 'durable', webhooks }, processes)
  try {
    for (const sender of [...bare, ...durable]) await sender.deliver(count * WARM_UP)
    const rows = await compare({ ...effort, rounds }, [
      { name: 'bare signed POSTs', measure: inTurns(bare, (one) => measure(one, count)) },
      { name: 'headgate, durable', measure: inTurns(durable, (one) => measure(one, count)) },
    ])
    const [bareRow, durableRow] = rows
    const ratio = ratioOf(durableRow, bareRow)
    return {
      scenario: 'P9',
      title: `deliveries of 2 KB, ${WEBHOOKS} webhooks on ${HOSTS} hosts`,
      rows,
      targets: [target('durable against bare', ratio, { atLeast: 0.6 })],
      notes: [
        'durable: from the commit of the event, with a result of its own for each webhook, to the',
        'commit of the outcome with its bill; two networks; SQLite in a file, and nothing counts as',
        'committed before the disk has it.',
        `Each in ${processes} processes of its own, in turns; the median of what the rounds say. CPU is`,
        'that of the process, the thread of the store included.',
      ],
    }
  } finally {
    await Promise.all([...bare, ...durable, receivers].map((one) => one.stop()))
  }
}

export function webhooksOn(
  hosts: readonly string[],
  count: number,
  teamId: string,
): StandWebhook[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `wh_${teamId.slice(-5)}${at.toString().padStart(11, '0')}`,
    teamId,
    url: `${hosts[at % hosts.length]}hook/${at}`,
  }))
}

function startSenders(order: SenderOrder, count: number): Promise<DeliverySender[]> {
  return Promise.all(Array.from({ length: count }, () => startDeliverySender(order)))
}

async function measure(sender: DeliverySender, count: number): Promise<Sample> {
  const { seconds, cpuUs, failed } = await sender.deliver(count)
  return { ...sampleOf(count, seconds, cpuUs), failed }
}

export function sampleOf(count: number, seconds: number, cpuUs: number): Sample {
  return { perSecond: count / seconds, cpuUsPerCall: cpuUs / count, p50Ms: 0, p99Ms: 0, failed: 0 }
}
