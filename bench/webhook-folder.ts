import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings } from '../src/config/config.ts'
import type { Webhook } from '../src/core/delivery/webhook.ts'
import { createTeam } from '../src/tables/accounts/new-accounts.ts'
import { createWebhook } from '../src/tables/webhooks/webhooks.ts'
import { openDrivers } from '../src/wiring/start.ts'
import { type Chance, seededChance } from '../tests/support/basics/seeded-chance.ts'
import { sealedKey, webhookCalled } from '../tests/support/deliveries/webhook-store.ts'
import { spawnHeadgate } from './headgate-process.ts'
import { type BenchBlock, benchBlock, queryKeys, queryText } from './query-material.ts'

/** A data folder that the product has been started on, and what was put into its store since. */
export type WebhookFolder = {
  folder: string
  /** The texts of all queries together. */
  queryBytes: number
  remove(): void
}

/** The node is named, so that all who start on the folder serve the same. */
export type FolderNetwork = { id: string; [member: string]: unknown }

type Drivers = Awaited<ReturnType<typeof openDrivers>>

/** As many as the tiers let a team have. */
const TEAM_WEBHOOKS = 100

/** Commits that are under way together share a sync. */
const UNDER_WAY = TEAM_WEBHOOKS

const SEED = 14

/**
 * Started once and stopped by the product itself; then each webhook is stored by the function
 * that the management API stores it with, under a key of its own. No two queries are the same,
 * and none finds anything in the block of the bench.
 */
export async function makeWebhookFolder(
  network: FolderNetwork,
  webhooks: number,
): Promise<WebhookFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const first = await spawnHeadgate({ folder, networks: [network] })
  await first.ready().finally(first.stop)
  if (webhooks === 0) return { folder, queryBytes: 0, remove }

  const settings = loadSettings({ env: { HEADGATE_DATA: folder } })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const nowhere = openSync('/dev/null', 'w')
  const drivers = await openDrivers(settings, (lines) => void writeSync(nowhere, String(lines)))
  try {
    const queryBytes = await storeWebhooks(drivers, network.id, webhooks)
    return { folder, queryBytes, remove }
  } finally {
    await drivers.close()
  }
}

async function storeWebhooks(drivers: Drivers, network: string, webhooks: number) {
  const chance = seededChance(SEED)
  const block = benchBlock()
  let queryBytes = 0
  for (let made = 0; made < webhooks; made += UNDER_WAY) {
    const { database } = drivers
    const { team } = await createTeam(database, drivers, { name: `Team ${made}`, tier: 'free' })
    const some = Array.from({ length: Math.min(UNDER_WAY, webhooks - made) }, (_, at) =>
      webhookOf(drivers, chance, block, { teamId: team.id, network, number: made + at }),
    )
    for (const { query } of some) queryBytes += Buffer.byteLength(query)
    await Promise.all(some.map((webhook) => store(drivers, webhook)))
  }
  return queryBytes
}

function webhookOf(
  { clock, entropy }: Drivers,
  chance: Chance,
  block: BenchBlock,
  { teamId, network, number }: { teamId: string; network: string; number: number },
): Webhook {
  return webhookCalled(`wh_${entropy.alphanumeric(16)}`, {
    teamId,
    network,
    url: `https://receiver.example/hooks/${number}`,
    query: queryText(queryKeys(chance, block, false)),
    skipEmpty: true,
    createdAtMs: clock.nowMs(),
  })
}

async function store({ database, entropy, secrets }: Drivers, webhook: Webhook): Promise<void> {
  const sealed = sealedKey(secrets, webhook.id, `whsec_${entropy.alphanumeric(24)}`)
  const { kind } = await createWebhook(database, webhook, sealed, TEAM_WEBHOOKS)
  if (kind !== 'written') throw new Error(`${webhook.id} was not stored: ${kind}`)
}
