// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { NEW_WEBHOOK, type WebhookApi, webhookApi } from '../../support/deliveries/webhook-api.ts'

const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`

let on: WebhookApi

beforeAll(async () => {
  on = await webhookApi()
})

afterAll(() => on.close())

// A team may make so many calls a second, and only tests move the time.
beforeEach(() => {
  on.time.nowMs += 60_000
})

/** How things are made, read, changed and deleted, by their kind. */
const KINDS = {
  app: {
    create: '/api/apps',
    body: (name: string) => ({ name, networks: ['ETH_MAINNET'] }),
    read: (id: string) => `/api/apps/${id}`,
    change: (id: string, value: string) =>
      ['PATCH', `/api/apps/${id}`, { description: value }] as const,
    remove: (id: string) => `/api/apps/${id}`,
  },
  webhook: {
    create: '/api/create-webhook',
    body: (name: string) => ({ ...NEW_WEBHOOK, name }),
    read: (id: string) => `/api/webhooks/${id}`,
    change: (id: string, value: string) => {
      const body = { webhook_id: id, webhook_url: `https://receiver.example/${value}` }
      return ['PUT', '/api/update-webhook', body] as const
    },
    remove: (id: string) => `/api/delete-webhook?webhook_id=${id}`,
  },
}

describe.each(['app', 'webhook'] as const)('a change of a %s with If-Match', (kind) => {
  const it = KINDS[kind]
  const change = (id: string, value: string, ifMatch: string) => {
    const [method, path, body] = it.change(id, value)
    return on.call(method, path, { body, headers: { 'if-match': ifMatch } })
  }
  const made = async (name: string) => {
    const { body, headers } = await on.call('POST', it.create, { body: it.body(name) })
    return { id: body.data.id as string, tag: headers.get('etag') ?? '' }
  }

  test('is made to what was read, and tells the ETag that it has then', async () => {
    const { id, tag } = await made('changed')
    const once = await change(id, 'one', tag)
    expect([once.status, once.body.data.id]).toEqual([200, id])
    const read = await on.call('GET', it.read(id))
    expect(read.headers.get('etag')).toBe(once.headers.get('etag'))
    expect((await change(id, 'two', once.headers.get('etag') ?? '')).status).toBe(200)
  })

  test('is refused when somebody changed it meanwhile, and changes nothing', async () => {
    const { id, tag } = await made('contested')
    const theirs = await change(id, 'theirs', '*')
    const { status, body } = await change(id, 'ours', tag)
    expect([status, body.name]).toEqual([412, 'PreconditionFailed'])
    expect((await on.call('GET', it.read(id))).body).toEqual(theirs.body)
  })

  test('loses no update: of those that read the same, one is made', async () => {
    const { id, tag } = await made('raced')
    const raced = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((value) => change(id, value, tag)),
    )
    const won = raced.filter(({ status }) => status === 200)
    expect([won.length, raced.filter(({ status }) => status === 412).length]).toEqual([1, 4])
    expect((await on.call('GET', it.read(id))).body).toEqual(won[0]?.body)
  })

  test('a weak tag is not good enough, one of several is', async () => {
    const { id, tag } = await made('weak')
    expect((await change(id, 'weak', `W/${tag}`)).status).toBe(412)
    expect((await change(id, 'strong', `"x,y",${tag}`)).status).toBe(200)
  })

  test('a delete of what was changed meanwhile is refused too', async () => {
    const { id, tag } = await made('deleted')
    const now = (await change(id, 'new', '*')).headers.get('etag') ?? ''
    const remove = (ifMatch: string) =>
      on.call('DELETE', it.remove(id), { headers: { 'if-match': ifMatch } })
    expect((await remove(tag)).body.name).toBe('PreconditionFailed')
    expect((await on.call('GET', it.read(id))).status).toBe(200)
    expect((await remove(now)).status).toBe(200)
    expect((await remove('*')).status).toBe(404)
  })

  test.each([
    '',
    'abc',
    '"open',
    '"a" "b"',
    '"a",',
    '*, "a"',
    'w/"a"',
    '"\\"',
    `"${'x'.repeat(1000)}"`,
    '"é"',
  ])('refuses the header %j', async (ifMatch) => {
    const { id } = await made('hostile')
    const { status, body } = await change(id, 'hostile', ifMatch)
    // A backslash is a character as any other in a tag.
    const isWellFormed = ifMatch === '"\\"'
    expect([status, body.name]).toEqual(
      isWellFormed ? [412, 'PreconditionFailed'] : [400, 'ValidationError'],
    )
  })
})

test('a team and a key for tokens are guarded as well', async () => {
  const team = await on.call('GET', '/api/team')
  const headers = { 'if-match': team.headers.get('etag') ?? '' }
  const change = (autoscaling: boolean) =>
    on.call('PATCH', '/api/team', { body: { autoscaling }, headers })
  expect((await change(true)).status).toBe(200)
  expect((await change(false)).status).toBe(412)
  expect((await on.call('GET', '/api/team')).body.data.autoscaling).toBe(true)

  const body = { name: 'guarded', public_key: PEM }
  const key = await on.call('POST', '/api/jwt-keys', { body })
  const path = `/api/jwt-keys/${key.body.data.id}`
  const remove = (tag: string) => on.call('DELETE', path, { headers: { 'if-match': tag } })
  expect((await remove('"other"')).status).toBe(412)
  expect((await remove(key.headers.get('etag') ?? '')).status).toBe(200)
})

test('a rotated key is another representation', async () => {
  const app = await on.call('POST', '/api/apps', { body: KINDS.app.body('rotated') })
  const path = `/api/apps/${app.body.data.id}`
  const rotated = await on.call('POST', `${path}/rotate-key`)
  expect(rotated.headers.get('etag')).not.toBe(app.headers.get('etag'))
  expect((await on.call('GET', path)).headers.get('etag')).toBe(rotated.headers.get('etag'))
})

test('the commands of the manual do what it says', async () => {
  const manual = await webhookApi({ networks: () => [{ id: 'ETH_DEVNET', slug: 'eth-devnet' }] })
  const text = await Bun.file(new URL('../../../docs/api.md', import.meta.url).pathname).text()
  const section = text.split('### Infrastructure as code\n')[1]?.split('\n### ')[0] ?? ''
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const env = { ...process.env, HEADGATE_URL: manual.url, HEADGATE_TOKEN: manual.teamToken }
  const script = ['set -eu', ...commands]
    .join('\n')
    .replaceAll(/^(curl[\s\S]*?[^\\])$/gm, '$1; echo')
  const ran = Bun.spawn(['sh', '-c', script], { env, stderr: 'pipe' })
  const said = (await new Response(ran.stdout).text()).split('\n').filter((line) => line !== '')
  expect([await ran.exited, await new Response(ran.stderr).text()]).toEqual([0, ''])

  expect(said[0]).toMatch(/^\{"data":\{"id":"app_[a-z0-9]{16}","name":"Wallet backend",/)
  const id = JSON.parse(said[0] ?? '').data.id
  expect(section).toContain(said[1]?.replace(id, 'app_oe3hfi7g2l5nabrw') ?? '')
  expect(said[2]).toBe('304')
  expect(JSON.parse(said[3] ?? '').data).toMatchObject({ id, description: 'ours' })
  expect(JSON.parse(said[4] ?? '').name).toBe('PreconditionFailed')
  expect(said.length).toBe(5)
  await manual.close()
})
