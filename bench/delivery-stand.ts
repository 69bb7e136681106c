import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ConfigFaults, loadSettings } from '../src/config/config.ts'
import { type Courier, openCourier } from '../src/courier/courier.ts'
import { insertTeam } from '../src/tables/accounts/teams.ts'
import { type DueResult, recordEvent } from '../src/tables/chain/chain-events.ts'
import { sequenceAfter } from '../src/tables/chain/chain-tail.ts'
import { migrate } from '../src/tables/migrate.ts'
import { usageTotals } from '../src/tables/usage/usage.ts'
import { createWebhook } from '../src/tables/webhooks/webhooks.ts'
import { openEmbeddedDrivers } from '../src/wiring/embedded-drivers.ts'
import { eventAt, sealedKey, webhookCalled } from '../tests/support/webhook-store.ts'

/** A courier as the product has it, on a new store in a file, with webhooks to send to. */
export type DeliveryStand = {
  /**
   * Commits events, one delivery for each webhook in each, until so many are committed as
   * delivered to those of this team; how long that took.
   */
  deliver(teamId: string, deliveries: number): Promise<{ seconds: number; cpuUs: number }>
  stop(): Promise<void>
}

type Drivers = Awaited<ReturnType<typeof openEmbeddedDrivers>>

export type StandWebhook = { id: string; teamId: string; url: string }

export const SIGNING_KEY = `whsec_${'k'.repeat(24)}`

/** With the envelope around it, a body of 2 KB. */
export const DATA_TEXT = `{"block":{"text":"${'x'.repeat(1800)}"}}`

/** Blocks of so many networks come side by side, each with its webhooks. */
const NETWORKS = 2

/** Enough for every host to have what it can take; the store is as it is in a busy hour. */
const BACKLOG_MAX = 4000

/**
 * Each network has so many events on their way to the disk: with one alone, sending waits for the
 * next event's commit, and that is what is measured.
 */
const EVENTS_UNDER_WAY = 2

const LOOK_EVERY_MS = 50
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER

/** So long without any progress, and something is broken. */
const PATIENCE_MS = 20_000

export async function openDeliveryStand(webhooks: readonly StandWebhook[]): Promise<DeliveryStand> {
  const folder = mkdtempSync(`${tmpdir()}/headgate-bench-`)
  const settings = loadSettings({
    env: {
      HEADGATE_DATA: folder,
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
  })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const nowhere = openSync('/dev/null', 'w')
  const drivers = await openEmbeddedDrivers(settings, (text) => void writeSync(nowhere, text))
  const { database } = drivers
  await migrate(database)
  for (const id of new Set(webhooks.map(({ teamId }) => teamId))) {
    const team = { id, name: id, tier: 'enterprise', autoscaling: true, createdAtMs: 1 }
    await insertTeam(database, team)
  }
  for (const [at, { id, ...differing }] of webhooks.entries()) {
    const sealed = sealedKey(drivers.secrets, id, SIGNING_KEY)
    const webhook = webhookCalled(id, { ...differing, network: networkAt(at % NETWORKS) })
    await createWebhook(database, webhook, sealed, webhooks.length)
  }
  const { tiers, publicUrl } = settings
  const courier = openCourier({
    ...drivers,
    name: 'bench',
    settings: settings.webhooks,
    tiers,
    publicUrl,
  })

  const chains = Array.from({ length: NETWORKS }, (_, at) => {
    const mine = webhooks.filter((_, index) => index % NETWORKS === at)
    return openFeed(database, courier, networkAt(at), mine)
  })

  return {
    async deliver(teamId, deliveries) {
      const done = async () => (await usageTotals(database, teamId, 0, FOR_EVER_MS)).calls
      const before = await done()
      const cpu = process.cpuUsage()
      const startedMs = performance.now()
      let fed = 0
      let delivered = 0
      let movedMs = startedMs
      // As many networks are followed at the same time.
      const feeding = chains.flatMap(severalAtOnce).map(async ({ feed, perEvent }) => {
        while (fed < deliveries) {
          if (fed - delivered >= BACKLOG_MAX) await Bun.sleep(LOOK_EVERY_MS)
          else {
            fed += perEvent(teamId)
            await feed()
          }
        }
      })
      while (delivered < deliveries) {
        await Bun.sleep(LOOK_EVERY_MS)
        const now = (await done()) - before
        if (now > delivered) movedMs = performance.now()
        if (performance.now() - movedMs > PATIENCE_MS) throw new Error('nothing moves any more')
        delivered = now
      }
      await Promise.all(feeding)
      const { user, system } = process.cpuUsage(cpu)
      return { seconds: (performance.now() - startedMs) / 1000, cpuUs: user + system }
    },
    async stop() {
      await courier.stop()
      drivers.egress.close()
      await drivers.signals.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Feed = { feed(): Promise<void>; perEvent(teamId: string): number }

function severalAtOnce(feed: Feed): Feed[] {
  return Array<Feed>(EVENTS_UNDER_WAY).fill(feed)
}

/** The events of one network, with something for each of its webhooks. */
function openFeed(
  database: Drivers['database'],
  courier: Courier,
  network: string,
  webhooks: readonly StandWebhook[],
): Feed {
  const ids = webhooks.map(({ id }) => id)
  let height = 0
  let previous: number | null = null
  return {
    /** Each webhook has a query of its own, so each has a result of its own. */
    async feed(): Promise<void> {
      const bytes = DATA_TEXT.length
      const due = ids.map((id): DueResult => {
        return { data: DATA_TEXT, bytes, truncation: null, webhookIds: [id] }
      })
      const told = { network, atMs: Date.now(), keepFrom: ++height, due }
      const event = eventAt(height, previous, told)
      // Commits are carried out in the order they are asked for.
      previous = sequenceAfter(previous)
      const recorded = await recordEvent(database, event)
      if (recorded === 'lost') throw new Error('nobody else moves this chain')
      courier.remind(recorded)
    },
    perEvent: (teamId: string) => webhooks.filter((one) => one.teamId === teamId).length,
  }
}

function networkAt(at: number): string {
  return `NETWORK_${at}`
}
