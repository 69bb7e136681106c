import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  NOW_MS,
  nextEvent,
  settle,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { openSqliteFile } from '../../embedded/database/sqlite-database.ts'
import { listDeliveryPage } from '../deliveries/log/delivery-page.ts'
import { migrate } from '../migrate.ts'
import { changeWebhook } from '../webhooks/webhooks.ts'
import { pauseTeamOverLimit } from './capacity-pause.ts'

const PAUSE = { teamId: TEAM_A, message: 'Monthly capacity limit exceeded.', nowMs: NOW_MS }
const ACTIVE = { standing: { state: 'active', reason: null } } as const

test('no event commits anything for a webhook once it is paused, whoever comes first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-pause-'))
  const open = () => openSqliteFile(join(folder, 'store.db'))
  const [follower, courier] = [await open(), await open()]
  await migrate(follower)
  await insertTeams(follower)
  await addWebhooks(follower, webhookCalled('wh_1'))

  for (let round = 0; round < 20; round++) {
    await changeWebhook(follower, TEAM_A, 'wh_1', ACTIVE)
    const atMs = NOW_MS + round
    const pause = () => pauseTeamOverLimit(courier, { ...PAUSE, nowMs: atMs })
    const event = () => nextEvent(follower, ['wh_1'], { atMs })
    await Promise.all(round % 2 === 0 ? [pause(), event()] : [event(), pause()])
    const countData = async () =>
      (await listDeliveryPage(courier, TEAM_A, { limit: 1_000 })).filter((d) => d.kind === 'data')
        .length
    const committed = await countData()
    await nextEvent(follower, ['wh_1'], { atMs })
    expect(await countData()).toBe(committed)
    await settle(
      courier,
      await waitingIds(courier, 'wh_1', 'error', atMs),
      { kind: 'delivered' },
      { startedAtMs: atMs },
    )
  }
  const all = await listDeliveryPage(courier, TEAM_A, { limit: 1_000 })
  expect(all.filter(({ kind }) => kind === 'error')).toHaveLength(20)
  await Promise.all([follower.close(), courier.close()])
  await rm(folder, { recursive: true })
})
