import { dataBody } from '../src/core/delivery/envelope.ts'
import { deliveryHeaders } from '../src/core/delivery/signature.ts'
import { openEgress } from '../src/system/egress/egress.ts'
import { systemClock } from '../src/system/machine/system-clock.ts'
import {
  DATA_TEXT,
  openDeliveryStand,
  SIGNING_KEY,
  type StandPart,
  type StandWebhook,
} from './delivery-stand.ts'

/** Which way to send, and to which webhooks of one team. */
export type SenderOrder = {
  way: 'bare' | 'durable'
  webhooks: readonly StandWebhook[]
  part?: StandPart
}

export type SenderReport = { seconds: number; cpuUs: number; failed: number }

type Sender = { deliver(count: number): Promise<SenderReport>; stop(): Promise<void> }

/** As ever, so that runs can be compared; with 32 the loop is a fifth faster. */
const BARE_IN_FLIGHT = 256
const TIMEOUT_MS = 5000

/**
 * Sends as many deliveries as each line of its standard input says, and prints what that took;
 * ends when its standard input does. Alone in its process, since the runtime compiles code by
 * how it is used: both ways share much of it.
 */
if (import.meta.main) {
  const order = JSON.parse(process.argv[2] ?? '{}') as SenderOrder
  const sender = order.way === 'bare' ? openBare(order) : await openDurable(order)
  console.log('ready')
  for await (const line of console) console.log(JSON.stringify(await sender.deliver(Number(line))))
  await sender.stop()
  process.exit(0)
}

async function openDurable({ webhooks, part }: SenderOrder): Promise<Sender> {
  const stand = await openDeliveryStand(webhooks, part)
  const teamId = webhooks[0]?.teamId ?? ''
  return {
    deliver: async (count) => ({ ...(await stand.deliver(teamId, count)), failed: 0 }),
    stop: stand.stop,
  }
}

/** A loop of signed POSTs through the same client, and nothing else. */
function openBare({ webhooks }: SenderOrder): Sender {
  const egress = openEgress({ clock: systemClock(), allowPrivate: true })
  return {
    async deliver(count) {
      let next = 0
      let failed = 0
      const work = async () => {
        while (next < count) {
          const at = next++
          const { id: webhookId, url, teamId } = webhooks[at % webhooks.length] as StandWebhook
          const deliveryId = `whevt_${at.toString().padStart(16, '0')}`
          const envelope = {
            webhookId,
            deliveryId,
            createdAtMs: Date.now(),
            network: 'ETH_MAINNET',
          }
          const body = dataBody({ ...envelope, sequenceNumber: at, truncation: null }, DATA_TEXT)
          const headers = deliveryHeaders({
            keys: [SIGNING_KEY],
            deliveryId,
            timestampS: Math.floor(Date.now() / 1000),
            body,
            previousSequence: at,
            replay: false,
          })
          const answer = await egress.post({ url, teamId, body, headers, timeoutMs: TIMEOUT_MS })
          if (answer.status !== 200) failed++
        }
      }
      const cpu = process.cpuUsage()
      const startedMs = performance.now()
      await Promise.all(Array.from({ length: BARE_IN_FLIGHT }, work))
      const { user, system } = process.cpuUsage(cpu)
      return { seconds: (performance.now() - startedMs) / 1000, cpuUs: user + system, failed }
    },
    async stop() {
      egress.close()
    },
  }
}
