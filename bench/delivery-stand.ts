import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ConfigFaults, loadSettings } from '../src/config/config.ts'
import { type Courier, openCourier } from '../src/courier/courier.ts'
import type { Database } from '../src/ports/database.ts'
import { insertTeam } from '../src/tables/accounts/teams.ts'
import { type DueResult, recordEvent } from '../src/tables/chain/chain-events.ts'
import { sequenceAfter } from '../src/tables/chain/chain-tail.ts'
import { openKnownNumbers } from '../src/tables/chain/known-numbers.ts'
import { usageTotals } from '../src/tables/usage/usage.ts'
import { createWebhook } from '../src/tables/webhooks/webhooks.ts'
import { openDrivers } from '../src/wiring/start.ts'
import { eventAt, sealedKey, webhookCalled } from '../tests/support/deliveries/webhook-store.ts'

/** A courier as the product has it, on a new store in a file, with webhooks to send to. */
export type DeliveryStand = {
  /**
   * Commits events, one delivery for each webhook in each, until so many are committed as
   * delivered to those of this team; how long that took.
   */
  deliver(teamId: string, deliveries: number): Promise<{ seconds: number; cpuUs: number }>
  stop(): Promise<void>
}

export type StandWebhook = { id: string; teamId: string; url: string }

/** What one of several processes on the same store does. */
export type StandPart = {
  at: number
  of: number
  /** Blocks of so many networks come side by side, each with its webhooks. */
  networks: number
  /**
   * Each network has so many events on their way to the disk: with one alone, sending waits for
   * the next event's commit, and that is what is measured. A store of many processes has one.
   */
  eventsUnderWay: number
  /** HEADGATE_ variables that say where the store is. */
  env: Record<string, string>
}

export const SIGNING_KEY = `whsec_${'k'.repeat(24)}`

/** With the envelope around it, a body of 2 KB. */
export const DATA_TEXT = `{"block":{"text":"${'x'.repeat(1800)}"}}`

/** Enough for every host to have what it can take; the store is as it is in a busy hour. */
const BACKLOG_MAX = 4000

const LOOK_EVERY_MS = 50
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER

/** So long without any progress, and something is broken. */
const PATIENCE_MS = 20_000

/** The process of one machine: it does all there is to do. */
const ALONE: StandPart = { at: 0, of: 1, networks: 2, eventsUnderWay: 2, env: {} }

export async function openDeliveryStand(
  webhooks: readonly StandWebhook[],
  part = ALONE,
): Promise<DeliveryStand> {
  const folder = mkdtempSync(`${tmpdir()}/headgate-bench-`)
  const settings = loadSettings({
    env: {
      HEADGATE_DATA: folder,
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      ...part.env,
    },
  })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const nowhere = openSync('/dev/null', 'w')
  const drivers = await openDrivers(settings, (lines) => void writeSync(nowhere, String(lines)))
  const { database } = drivers
  await drivers.migrate(database)
  if (part.at === 0) await createWebhooks(drivers, webhooks, part.networks)
  const { tiers, publicUrl } = settings
  const known = openKnownNumbers(drivers)
  const courier = openCourier(drivers, {
    name: drivers.name,
    egress: drivers.egress,
    known,
    settings: settings.webhooks,
    tiers,
    publicUrl,
  })
  const chains = Array.from({ length: part.networks }, (_, at) => {
    const mine = webhooks.filter((_, index) => index % part.networks === at)
    return openFeed(database, courier, networkAt(at), mine)
  }).filter((_, at) => at % part.of === part.at)
  const feeds = chains.flatMap((feed) => Array<Feed>(part.eventsUnderWay).fill(feed))

  return {
    deliver: (teamId, deliveries) => deliver(database, feeds, part, teamId, deliveries),
    async stop() {
      await courier.stop()
      await drivers.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function createWebhooks(
  { database, secrets }: Awaited<ReturnType<typeof openDrivers>>,
  webhooks: readonly StandWebhook[],
  networks: number,
): Promise<void> {
  for (const id of new Set(webhooks.map(({ teamId }) => teamId))) {
    const team = { id, name: id, tier: 'enterprise', autoscaling: true, createdAtMs: 1 }
    await insertTeam(database, team)
  }
  for (const [at, { id, ...differing }] of webhooks.entries()) {
    const sealed = sealedKey(secrets, id, SIGNING_KEY)
    const webhook = webhookCalled(id, { ...differing, network: networkAt(at % networks) })
    await createWebhook(database, webhook, sealed, webhooks.length)
  }
}

async function deliver(
  database: Database,
  feeds: readonly Feed[],
  { of }: StandPart,
  teamId: string,
  deliveries: number,
): Promise<{ seconds: number; cpuUs: number }> {
  const done = async () => (await usageTotals(database, teamId, 0, FOR_EVER_MS)).calls
  const before = await done()
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  let fed = 0
  let delivered = 0
  let movedMs = startedMs
  // As many networks are followed at the same time.
  const feeding = feeds.map(async ({ feed, perEvent }) => {
    while (fed < deliveries / of) {
      if (fed - delivered / of >= BACKLOG_MAX / of) await Bun.sleep(LOOK_EVERY_MS)
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
}

type Feed = { feed(): Promise<void>; perEvent(teamId: string): number }

/** The events of one network, with something for each of its webhooks. */
function openFeed(
  database: Database,
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
