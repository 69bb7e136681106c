import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../../tests/support/deliveries/webhook-api.ts'
import { readRevision } from '../../../tables/sql/revisions.ts'
import { webhooksChangedSince } from '../../../tables/webhooks/webhooks.ts'

let on: WebhookApi

beforeEach(async () => {
  const networks = ['ETH_MAINNET', 'BASE_MAINNET'].map((id) => ({ id, slug: id.toLowerCase() }))
  on = await webhookApi({ networks: () => networks })
})

afterEach(() => on.close())

async function appWith(...networks: string[]): Promise<string> {
  const made = await on.call('POST', '/api/apps', { body: { name: 'Backend', networks } })
  return made.body.data.id
}

test('a webhook names an app that has its network, and no other', async () => {
  const app = await appWith('BASE_MAINNET')
  const { status, body } = await on.create({ app_id: app })
  expect([status, body]).toEqual([
    400,
    { name: 'ValidationError', message: `app_id: the app ${app} does not have ETH_MAINNET.` },
  ])
  expect(await on.created({ app_id: app, network: 'BASE_MAINNET' })).toMatchObject({ app_id: app })
})

test('an app that loses the network stays the one that deliveries are accounted to', async () => {
  const app = await appWith('ETH_MAINNET')
  const { id } = await on.created({ app_id: app })
  await on.call('PATCH', `/api/apps/${app}`, { body: { networks: ['BASE_MAINNET'] } })
  expect(await on.list()).toMatchObject([{ id, app_id: app, is_active: true }])
  const renamed = await on.update({ webhook_id: id, name: 'new' })
  expect([renamed.status, renamed.body.data.app_id]).toEqual([200, app])
})

test('when the app is deleted its webhooks name none, and everybody is told', async () => {
  const [app, other] = [await appWith('ETH_MAINNET'), await appWith('ETH_MAINNET')]
  const made = [
    await on.created({ app_id: app }),
    await on.created({ app_id: app }),
    await on.created({ app_id: other }),
  ]
  const { database } = on.needs
  const before = await readRevision(database, 'webhooks')
  const told = on.seen.webhookChanges
  expect((await on.call('DELETE', `/api/apps/${app}`)).status).toBe(200)
  const apps = new Map((await on.list()).map((one: (typeof made)[0]) => [one.id, one.app_id]))
  expect(made.map(({ id }) => apps.get(id))).toEqual([null, null, other])
  const changed = await Array.fromAsync(webhooksChangedSince(database, before, 10))
  expect(changed.map(({ id }) => id).sort()).toEqual([made[0].id, made[1].id].sort())
  expect(on.seen.webhookChanges).toBe(told + 1)
})

test('no webhook is left with an app that was deleted at the same moment', async () => {
  const app = await appWith('ETH_MAINNET')
  await Promise.all([
    ...Array.from({ length: 5 }, () => on.create({ app_id: app })),
    on.call('DELETE', `/api/apps/${app}`),
    ...Array.from({ length: 5 }, () => on.create({ app_id: app })),
  ])
  const apps = (await on.list()).map((one: { app_id: string }) => one.app_id)
  expect(apps.filter((one: string | null) => one !== null)).toEqual([])
})
