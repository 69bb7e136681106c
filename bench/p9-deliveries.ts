import { dataBody } from '../src/core/delivery/envelope.ts'
import { deliveryHeaders } from '../src/core/delivery/signature.ts'
import { openEgress } from '../src/system/egress/egress.ts'
import { systemClock } from '../src/system/machine/system-clock.ts'
import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import { startReceivers } from './contenders.ts'
import { DATA_TEXT, openDeliveryStand, SIGNING_KEY, type StandWebhook } from './delivery-stand.ts'

const HOSTS = 20
const WEBHOOKS = 100
const DELIVERIES = 40_000
const DELIVERIES_TINY = 400

/**
 * Not counted: hosts are given more at once only as they show that they can take it, and the
 * runtime compiles what it sees often.
 */
const WARM_UP = 2

/** More at once make the bare loop no faster. */
const BARE_IN_FLIGHT = 256
const TIMEOUT_MS = 5000
const TEAM = 'team_bench'

/** P9: durable deliveries, against a loop of bare signed POSTs through the same client. */
export async function deliveries(effort: Effort): Promise<Result> {
  const receivers = await startReceivers(HOSTS, 0)
  const webhooks = webhooksOn(receivers.healthy, WEBHOOKS, TEAM)
  const count = effort.rounds > 1 ? DELIVERIES : DELIVERIES_TINY
  try {
    const rows = await compare(effort, [
      { name: 'bare signed POSTs', measure: () => measureBare(webhooks, count) },
      { name: 'headgate, durable', measure: () => measureDurable(webhooks, count) },
    ])
    const [bare, durable] = rows
    return {
      scenario: 'P9',
      title: `deliveries of 2 KB, ${WEBHOOKS} webhooks on ${HOSTS} hosts`,
      rows,
      targets: [
        target('durable against bare', (durable?.perSecond ?? 0) / (bare?.perSecond ?? 1), {
          atLeast: 0.6,
        }),
      ],
      notes: [
        'durable: from the commit of the event, with a result of its own for each webhook, to the',
        'commit of the outcome with its bill; two networks; SQLite in a file, and nothing counts as',
        'committed before the disk has it.',
        'CPU is that of the sending process, the thread of the store included.',
      ],
    }
  } finally {
    await receivers.stop()
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

async function measureDurable(webhooks: readonly StandWebhook[], count: number): Promise<Sample> {
  const stand = await openDeliveryStand(webhooks)
  try {
    await stand.deliver(TEAM, count * WARM_UP)
    const { seconds, cpuUs } = await stand.deliver(TEAM, count)
    return sampleOf(count, seconds, cpuUs)
  } finally {
    await stand.stop()
  }
}

async function measureBare(webhooks: readonly StandWebhook[], count: number): Promise<Sample> {
  const egress = openEgress({ clock: systemClock(), allowPrivate: true })
  let failed = 0
  const send = async (from: number, to: number) => {
    let next = from
    const work = async () => {
      while (next < to) {
        const at = next++
        const { id: webhookId, url } = webhooks[at % webhooks.length] as StandWebhook
        const deliveryId = `whevt_${at.toString().padStart(16, '0')}`
        const envelope = { webhookId, deliveryId, createdAtMs: Date.now(), network: 'ETH_MAINNET' }
        const body = dataBody({ ...envelope, sequenceNumber: at, truncation: null }, DATA_TEXT)
        const headers = deliveryHeaders({
          keys: [SIGNING_KEY],
          deliveryId,
          timestampS: Math.floor(Date.now() / 1000),
          body,
          previousSequence: at,
          replay: false,
        })
        const { status } = await egress.post({
          url,
          teamId: 'team_bench',
          body,
          headers,
          timeoutMs: TIMEOUT_MS,
        })
        if (status !== 200) failed++
      }
    }
    await Promise.all(Array.from({ length: BARE_IN_FLIGHT }, work))
  }
  try {
    await send(0, count * WARM_UP)
    const cpu = process.cpuUsage()
    const startedMs = performance.now()
    await send(0, count)
    const seconds = (performance.now() - startedMs) / 1000
    const { user, system } = process.cpuUsage(cpu)
    return { ...sampleOf(count, seconds, user + system), failed }
  } finally {
    egress.close()
  }
}

export function sampleOf(count: number, seconds: number, cpuUs: number): Sample {
  return { perSecond: count / seconds, cpuUsPerCall: cpuUs / count, p50Ms: 0, p99Ms: 0, failed: 0 }
}
