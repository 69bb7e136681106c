import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import { startReceivers } from './contenders.ts'
import { openDeliveryStand, type StandWebhook } from './delivery-stand.ts'
import { sampleOf, webhooksOn } from './p9-deliveries.ts'

const HOSTS = 10
const WEBHOOKS = 50
const DELIVERIES = 10_000
const DELIVERIES_TINY = 200

/** Not counted: hosts are given more at once only as they show that they can take it. */
const WARM_UP = 0.4
const HEALTHY = 'team_healthy'
const OTHERS = 'team_others'

/** P10: the same deliveries with half of the hosts hanging: what the healthy half gets. */
export async function hangingHosts(effort: Effort): Promise<Result> {
  const receivers = await startReceivers(HOSTS * 2, HOSTS)
  const healthy = webhooksOn(receivers.healthy.slice(0, HOSTS), WEBHOOKS, HEALTHY)
  const healthyToo = webhooksOn(receivers.healthy.slice(HOSTS), WEBHOOKS, OTHERS)
  const hanging = webhooksOn(receivers.hanging, WEBHOOKS, OTHERS)
  const count = effort.rounds > 1 ? DELIVERIES : DELIVERIES_TINY
  try {
    const rows = await compare(effort, [
      { name: 'all twenty healthy', measure: () => measure([...healthy, ...healthyToo], count) },
      { name: 'the other ten hang', measure: () => measure([...healthy, ...hanging], count) },
    ])
    const [amongHealthy = 1, amongHanging = 0] = rows.map(({ perSecond }) => perSecond)
    return {
      scenario: 'P10',
      title: `deliveries of 2 KB, ${WEBHOOKS * 2} webhooks on ${HOSTS * 2} hosts, half of them hanging`,
      rows,
      targets: [target('healthy hosts keep', amongHanging / amongHealthy, { atLeast: 0.9 })],
      notes: [
        'A call is a durable delivery to one of ten hosts that are healthy in both cases; what is',
        'committed for the other ten and sent to them is not counted, and its CPU is.',
      ],
    }
  } finally {
    await receivers.stop()
  }
}

async function measure(webhooks: readonly StandWebhook[], count: number): Promise<Sample> {
  const stand = await openDeliveryStand(webhooks)
  try {
    await stand.deliver(HEALTHY, count * WARM_UP)
    const { seconds, cpuUs } = await stand.deliver(HEALTHY, count)
    return sampleOf(count, seconds, cpuUs)
  } finally {
    await stand.stop()
  }
}
