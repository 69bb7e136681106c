import { type Database, sql } from '../../../src/ports/database.ts'
import { insertToken } from '../../../src/tables/accounts/tokens.ts'
import { writeInstanceFactOnce } from '../../../src/tables/sql/instance.ts'
import { recordUsage } from '../../../src/tables/usage/usage.ts'
import { pauseTeam } from '../../../src/tables/webhooks/pause-webhooks.ts'
import { createReplay, recordReplayStep } from '../../../src/tables/webhooks/replays.ts'
import { addItems, removeItems } from '../../../src/tables/webhooks/variables.ts'
import { deleteWebhook } from '../../../src/tables/webhooks/webhooks.ts'
import { eventTo, NOW_MS, nextEvent, settle } from '../deliveries/delivery-store.ts'
import { pruneDelivered, resendDelivery } from '../deliveries/delivery-tables.ts'
import { newReplay, stepAt } from '../deliveries/replay-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../deliveries/webhook-store.ts'

const OLD_MS = NOW_MS - 10 * 86_400_000

/** A result longer than what is moved at once, and one of which some are. */
export const LONG_TEXTS = ['é'.repeat(9_000_000), 'x'.repeat(3_000_000), 'y'.repeat(3_000_000)]

/** The spending at an upstream. */
const SPENT = {
  account: 'vendor',
  network: 'ETH',
  upstream: HOSTILE_TEXTS[1] ?? '',
  requests: 2,
  credits: 2 ** 52,
} as const

/** Calls as figures have them. */
const CALLED = {
  split: 'method',
  name: HOSTILE_TEXTS[1] ?? '',
  calls: 3,
  errors: 1,
  nodeErrors: 1,
  cached: 1,
  coalesced: 0,
  centiCu: 7,
  times: Array<number>(20).fill(1),
} as const

/** The webhooks of the store; the last is deleted. */
const WEBHOOKS = ['wh_1', 'wh_2', 'wh_3', 'wh_b', 'wh_gone']

/**
 * Fills an empty store: no table is empty, deliveries are in each state, and on SQLite some that
 * were delivered are not listed yet. The texts are results of events of their own.
 */
export async function fillStore(
  db: Database,
  texts: readonly string[] = ['{}', '[]', '{}'],
): Promise<void> {
  await insertTeams(db)
  await insertToken(
    db,
    { id: 'tok_1', kind: 'team', teamId: TEAM_A, name: HOSTILE_TEXTS[2] ?? '', createdAtMs: 1 },
    'hash',
  )
  await insertToken(
    db,
    { id: 'tok_2', kind: 'operator', teamId: null, name: '', createdAtMs: 2 },
    'other hash',
  )
  await db.each(
    sql`INSERT INTO sessions VALUES (${''}, ${''}, ${''}, ${''}, '::1', ${''}, 1, 2, 3)`,
    [
      ['ses_1', 'cookie', 'tok_1', TEAM_A, HOSTILE_TEXTS[1] ?? ''],
      ['ses_2', 'link', null, TEAM_B, ''],
      ['ses_3', 'other', 'tok_2', null, ''],
    ],
  )
  await db.each(sql`INSERT INTO jwt_keys VALUES (${''}, ${''}, ${''}, 'EdDSA', 'PEM', 1)`, [
    ['jwk_1', TEAM_A, HOSTILE_TEXTS[1] ?? ''],
    ['jwk_2', TEAM_B, ''],
  ])
  for (const [at, id] of WEBHOOKS.entries()) {
    const teamId = id === 'wh_b' ? TEAM_B : TEAM_A
    const name = HOSTILE_TEXTS[at % HOSTILE_TEXTS.length] ?? ''
    await addWebhooks(
      db,
      webhookCalled(id, { teamId, name, appId: id === 'wh_1' ? 'app_1' : null }),
    )
  }
  await fillRest(db)
  await fillDeliveries(db, texts)
}

async function fillRest(db: Database): Promise<void> {
  const adding = { teamId: TEAM_A, name: 'list', kind: 'Address' } as const
  await addItems(db, { ...adding, items: ['0xa', '0xb', '0xc'] })
  await removeItems(db, TEAM_A, 'list', ['0xb'])
  const usage = { teamId: TEAM_A, appId: 'app_1', network: NETWORK, method: 'eth_call' }
  await recordUsage(db, {
    writer: 'writer',
    sequence: 1,
    atMs: NOW_MS,
    rows: [{ ...usage, hourMs: NOW_MS - (NOW_MS % 3_600_000), calls: 3, centiCu: 7, bytes: 0 }],
    figures: [{ ...usage, ...CALLED, minuteMs: NOW_MS - (NOW_MS % 60_000) }],
    spends: [{ ...SPENT, periodStartMs: NOW_MS }],
  })
  await writeInstanceFactOnce(db, 'first_run_done', '1')
}

async function fillDeliveries(db: Database, texts: readonly string[]): Promise<void> {
  // With so few, SQLite lists some of what is delivered.
  await db.query(sql`UPDATE listing SET created_max = 4`)
  const old = await nextEvent(db, ['wh_1', 'wh_2'], { atMs: OLD_MS })
  await settle(db, old.slice(0, 1), { kind: 'delivered' })
  await pruneDelivered(db, { olderThanMs: NOW_MS - 1, bytesMax: 2 ** 40, rowsMax: 100 })
  await settle(db, old.slice(1), { kind: 'delivered' }, { bodyStart: HOSTILE_TEXTS[1] ?? '' })

  for (const data of texts) {
    await settle(db, await nextEvent(db, ['wh_1', 'wh_3'], { data }), { kind: 'delivered' })
  }
  const [failed = '', retried = '', resent = ''] = await nextEvent(db, ['wh_1', 'wh_2', 'wh_3'])
  await settle(db, [failed, resent], { kind: 'failed' }, { bodyStart: HOSTILE_TEXTS[2] ?? '' })
  await settle(db, [retried], { kind: 'retry', dueAtMs: NOW_MS + 60_000 })
  await resendDelivery(db, TEAM_A, resent, NOW_MS + 1)
  await eventTo(db, [['wh_1'], ['wh_2', 'wh_gone']])
  await deleteWebhook(db, TEAM_A, 'wh_gone')
  await createReplay(db, newReplay({ fromBlock: 2, toBlock: 5 }))
  await recordReplayStep(db, stepAt(2))
  for (let block = 0; block < 6; block++) {
    const ids = await nextEvent(db, ['wh_2', 'wh_3', 'wh_b'], { data: `{"é":"${block}"}` })
    await settle(db, ids.slice(block % 2), { kind: 'delivered' })
  }
  await pauseTeam(
    db,
    { teamId: TEAM_B, reason: 'MONTHLY_CAPACITY_EXCEEDED', message: 'Grüße', nowMs: NOW_MS },
    async () => true,
  )
}
