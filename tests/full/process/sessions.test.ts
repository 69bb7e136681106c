// Runs on both stores.
import { afterEach, describe, expect, test } from 'bun:test'
import { openPage, setCookieOf } from '../../support/pages/page.ts'
import { configuredProcess, stopProcess } from '../../support/product/configured-process.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
} from '../../support/product/headgate-process.ts'

const stage = configuredProcess()

const LOCAL = { HEADGATE_LISTEN: '127.0.0.1:0', HEADGATE_DEVNET_BLOCK_TIME_MS: '60000' }

/** The secret behind the # of the link that a start prints. */
function linkSecret(headgate: HeadgateProcess): string {
  const link = /^ {2}dashboard {7}(\S+)#(\S+)$/m.exec(headgate.said())
  expect(link?.[1]).toBe(`${headgate.url}/sign-in`)
  return link?.[2] ?? ''
}

function signIn(url: string, body: object, headers: Record<string, string> = {}) {
  const sent = { 'content-type': 'application/json', ...headers }
  return fetch(`${url}/api/session`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
}

describe('in local development', () => {
  afterEach(cleanUp)

  test('the printed link signs in for the default team, and a session outlives a restart', async () => {
    const folder = newFolder()
    const first = await startProcess({ folder, env: LOCAL })
    const link = linkSecret(first)
    expect(link).toMatch(/^[a-z0-9]{32}$/)
    const page = await openPage(first.url, { link })
    const session = (await page.call('GET', '/api/session')).json.data
    expect(session).toMatchObject({
      kind: 'team',
      team: { name: 'Default', tier: 'enterprise' },
      token: null,
      local_development: true,
      public_url: first.url,
    })
    const apps = (await page.call('GET', '/api/apps')).json.data
    expect(apps).toMatchObject([{ key: first.keys.app_key }])
    await stopProcess(first)
    for (const secret of [link, page.secret]) {
      const lines = first
        .said()
        .split('\n')
        .filter((line) => line.includes(secret))
      // Once, in what the terminal shows to people, and in no line of the log.
      expect(lines.filter((line) => line.startsWith('{'))).toEqual([])
      expect(lines).toHaveLength(secret === link ? 1 : 0)
    }

    const second = await startProcess({ folder, env: LOCAL })
    const nextLink = linkSecret(second)
    expect(nextLink).not.toBe(link)
    expect((await signIn(second.url, { link })).status).toBe(401)
    expect((await page.call('GET', '/api/session', { url: second.url })).status).toBe(200)
    await openPage(second.url, { link: nextLink })
  })

  test('the link is for the machine itself: a proxy that speaks for others is refused', async () => {
    const env = { ...LOCAL, HEADGATE_TRUST_PROXY: 'true' }
    const headgate = await startProcess({ folder: newFolder(), env })
    const link = linkSecret(headgate)
    const from = (address: string) => signIn(headgate.url, { link }, { 'x-forwarded-for': address })
    expect((await from('198.51.100.7')).status).toBe(403)
    expect((await from('127.0.0.1')).status).toBe(200)
  })
})

test('with a configuration file there is no link, and a session of one counts for nothing', async () => {
  const local = await startProcess({ folder: stage.folder, env: LOCAL })
  const link = linkSecret(local)
  const page = await openPage(local.url, { link })
  await stopProcess(local)

  const configured = await stage.start()
  expect(configured.said()).not.toContain('sign-in')
  expect((await signIn(configured.url, { link })).status).toBe(403)
  const answer = await page.call('GET', '/api/session', { url: configured.url })
  expect([answer.status, setCookieOf(answer)]).toEqual([401, expect.stringContaining('Max-Age=0')])
})

describe.skipIf(process.platform !== 'linux')('gateway workers pass on', () => {
  test('cookies and where a page comes from, both ways', async () => {
    const headgate = await stage.start({ HEADGATE_GATEWAY_WORKERS: '2' })
    const { url, keys } = headgate
    const page = await openPage(url, { token: keys.team_token })
    // Neither the public address nor the socket between processes: the host that was asked.
    const asked = url.replace('localhost', '127.0.0.1')
    expect((await page.call('PATCH', '/api/team', at(asked))).status).toBe(200)
    const foreign = { ...at(asked), headers: { origin: 'http://elsewhere.example' } }
    expect((await page.call('PATCH', '/api/team', foreign)).status).toBe(403)
    const out = await page.call('DELETE', '/api/session')
    expect([out.status, setCookieOf(out)]).toEqual([200, expect.stringContaining('Max-Age=0')])
    const after = await page.call('GET', '/api/session')
    expect([after.status, setCookieOf(after)]).toEqual([401, expect.stringContaining('Max-Age=0')])
    await stopProcess(headgate)
    expect(headgate.said()).not.toContain(page.secret)
    expect(headgate.said()).not.toContain(keys.team_token)
  })
})

function at(url: string) {
  return { url, body: { autoscaling: true } }
}
