import { NO_LISTS } from '../../../src/core/app.ts'
import type { Webhook } from '../../../src/core/delivery/webhook.ts'
import type { Database } from '../../../src/ports/database.ts'
import { type Secrets, signingKeyPlace } from '../../../src/ports/secrets.ts'
import { insertApp } from '../../../src/tables/accounts/apps.ts'
import { insertTeam } from '../../../src/tables/accounts/teams.ts'
import type { ChainEvent, DueResult } from '../../../src/tables/chain/chain-events.ts'
import { followedAt } from '../../../src/tables/chain/chain-tail.ts'
import { createWebhook } from '../../../src/tables/webhooks/webhooks.ts'

export const NETWORK = 'ETH_MAINNET'

export const TEAM_A = 'team_a'

export const TEAM_B = 'team_b'

/** Texts that would hurt whoever glues statements together. */
export const HOSTILE_TEXTS = [
  `'; DROP TABLE webhooks; --`,
  `it's "quoted" \`$1\` ? :name @x %s \\' \\0`,
  'Grüße, 世界, 😀, \u202eright to left\u0001',
  'line\r\nbreak\ttab',
]

const MANY_SLOTS = 1_000_000

export async function insertTeams(db: Database): Promise<void> {
  for (const id of [TEAM_A, TEAM_B]) {
    await insertTeam(db, { id, name: id, tier: 'free', autoscaling: false, createdAtMs: 1 })
  }
}

export function webhookCalled(id: string, differing: Partial<Webhook> = {}): Webhook {
  return {
    id,
    teamId: TEAM_A,
    appId: null,
    network: NETWORK,
    name: 'Transfers',
    url: 'https://receiver.example/hook',
    query: '{ block { number } }',
    skipEmpty: false,
    ordered: false,
    notifyRemoved: false,
    state: 'active',
    reason: null,
    createdAtMs: 1_790_000_000_000,
    ...differing,
  }
}

/** A webhook's signing key as the store keeps it. */
export function sealedKey({ seal }: Pick<Secrets, 'seal'>, webhookId: string, key: string): string {
  return seal(key, signingKeyPlace(webhookId))
}

export async function addWebhooks(db: Database, ...webhooks: Webhook[]): Promise<void> {
  for (const webhook of webhooks) {
    if (webhook.appId !== null) await addApp(db, webhook.teamId, webhook.appId)
    await createWebhook(db, webhook, 'sealed', MANY_SLOTS)
  }
}

async function addApp(db: Database, teamId: string, id: string): Promise<void> {
  const app = {
    id,
    teamId,
    name: id,
    description: '',
    networks: [NETWORK],
    isActive: true,
    allow: NO_LISTS,
  }
  await insertApp(db, { ...app, createdAtMs: 1 }, { hash: `hash of ${id}`, sealed: 'sealed' })
}

/** An event with a block of that height; `fork` tells blocks of one height apart. */
export function eventAt(
  number: number,
  previousSequence: number | null,
  differing: Partial<ChainEvent> & { fork?: string } = {},
): ChainEvent {
  const { fork = '', ...rest } = differing
  return {
    network: NETWORK,
    previousSequence,
    header: { number, hash: `0x${number}${fork}`, parentHash: `0x${number - 1}` },
    kind: previousSequence === null ? 'first' : 'extends',
    finalized: null,
    keepFrom: 0,
    atMs: 1_790_000_000_000,
    due: [],
    ...rest,
  }
}

/** The number of the event that made that height canonical; null for one not followed. */
export async function sequenceAt(db: Database, network: string, number: number) {
  return (await followedAt(db, network, number))?.sequenceNumber ?? null
}

/** The same result for all of those webhooks. */
export function dueTo(...webhookIds: string[]): DueResult {
  const data = '{"block":{"number":1}}'
  return { data, bytes: data.length, truncation: null, webhookIds }
}
