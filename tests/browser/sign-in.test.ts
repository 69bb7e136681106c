import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signIn } from '../support/pages/signed-in-page.ts'
import { startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const WRONG = 'x'.repeat(32)

const lacks = lacksBrowser()
let browser: TestBrowser
let headgate: TestHeadgate

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '60000' } })
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
})

/** A page of somebody who has never been here. */
async function strangersPage() {
  await browser.context.clearCookies()
  return browser.newPage()
}

test.skipIf(lacks)('a team’s token opens the page that was asked for', async () => {
  const page = await strangersPage()
  await page.goto(`${headgate.url}/apps?q=x`)
  await page.waitForURL(`${headgate.url}/sign-in?then=%2Fapps%3Fq%3Dx`)
  await page.getByLabel('Team token').fill(`  ${headgate.teamToken}\n`)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${headgate.url}/apps?q=x`)
  await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor()
  await page.close()
})

test.skipIf(lacks)('the cookie is hidden from scripts and from other sites', async () => {
  const page = await strangersPage()
  await signIn(page, headgate.url, headgate.teamToken)
  const [cookie] = await browser.context.cookies()
  expect(cookie).toMatchObject({ name: 'headgate_session', httpOnly: true, sameSite: 'Strict' })
  expect(await page.evaluate('document.cookie')).toBe('')
  const kept = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')
  expect(kept).not.toContain(headgate.teamToken)
  await page.close()
})

test.skipIf(lacks)('a wrong token opens nothing, and the page says so', async () => {
  const page = await strangersPage()
  await page.goto(`${headgate.url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Paste the token first.').waitFor()
  await page.getByLabel('Team token').fill(WRONG)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('This token opens nothing.').waitFor()
  expect(page.url()).toBe(`${headgate.url}/sign-in`)
  await page.getByRole('button', { name: 'Show the token' }).click()
  expect(await page.getByLabel('Team token').getAttribute('type')).toBe('text')
  await page.close()
})

test.skipIf(lacks)('an address that leads elsewhere is not gone to', async () => {
  const page = await strangersPage()
  for (const then of ['https://elsewhere.test/', '//elsewhere.test/', '/\\elsewhere.test', 'x:y']) {
    await browser.context.clearCookies()
    await page.goto(`${headgate.url}/sign-in?then=${encodeURIComponent(then)}`)
    await page.getByLabel('Team token').fill(headgate.teamToken)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${headgate.url}/`)
  }
  expect(browser.outside).toEqual([])
  await page.close()
})

test.skipIf(lacks)('the printed link signs in at once and leaves the address', async () => {
  const page = await strangersPage()
  const link = headgate.running.signInLink ?? ''
  const secret = new URL(link).hash.slice(1)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.goto(`${headgate.url}/sign-in?then=/apps#${secret}`)
  await page.waitForURL(`${headgate.url}/apps`)
  expect(sent.join()).not.toContain(secret)
  await page.goBack()
  expect(page.url()).not.toContain(secret)
  await page.close()
})

test.skipIf(lacks)('an old link says that it is one', async () => {
  const page = await strangersPage()
  await page.goto(`${headgate.url}/sign-in#${WRONG}`)
  await page.getByRole('alert').getByText('This link is an old one.').waitFor()
  expect(page.url()).toBe(`${headgate.url}/sign-in`)
  await page.close()
})

test.skipIf(lacks)('signing out ends the session, here and on the server', async () => {
  const page = await strangersPage()
  await signIn(page, headgate.url, headgate.teamToken)
  const [cookie] = await browser.context.cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${headgate.url}/sign-in`)
  expect(await browser.context.cookies()).toEqual([])
  const answer = await fetch(`${headgate.url}/api/session`, {
    headers: { cookie: `headgate_session=${cookie?.value}` },
  })
  expect(answer.status).toBe(401)
  await page.close()
})

test.skipIf(lacks)('a page of another origin cannot use the cookie', async () => {
  const page = await strangersPage()
  await signIn(page, headgate.url, headgate.teamToken)
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<p>x', { headers: { 'content-type': 'text/html' } }),
  })
  // The same host name and another port: the same site, so that the cookie itself is sent along.
  await page.goto(`http://${new URL(headgate.url).hostname}:${other.port}/`)
  const outcomes = await page.evaluate(ATTACK, headgate.url)
  expect(outcomes).toEqual({ read: 'refused', write: 'refused', simple: 'refused' })
  const { json } = await headgate.api('GET', '/api/apps')
  expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['Default app'])
  expect((await headgate.api('GET', '/api/team')).json.data.autoscaling).toBe(false)
  await page.close()
  await other.stop(true)
})

/** Reads and changes, once as a script does and once as a form could. */
async function ATTACK(url: string) {
  const attempt = async (path: string, init: RequestInit) => {
    try {
      const answer = await fetch(`${url}${path}`, { credentials: 'include', ...init })
      return answer.type === 'opaque' ? 'refused' : `answered ${answer.status}`
    } catch {
      return 'refused'
    }
  }
  const app = JSON.stringify({ name: 'planted', networks: ['ETH_DEVNET'] })
  return {
    read: await attempt('/api/apps', {}),
    write: await attempt('/api/team', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"autoscaling":true}',
    }),
    simple: await attempt('/api/apps', { method: 'POST', mode: 'no-cors', body: app }),
  }
}

test.skipIf(lacks)(
  'too many attempts are told how long to wait, and a good token gets in',
  async () => {
    const page = await strangersPage()
    await page.goto(`${headgate.url}/sign-in`)
    const field = page.getByLabel('Team token')
    await field.fill(WRONG)
    const guesses = Array.from({ length: 30 }, (_, at) => guess(String(at).padStart(32, 'x')))
    await Promise.all(guesses)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Too many attempts from your address.').waitFor()
    await page.getByText(/Try again in \d+ seconds?\./).waitFor()
    await page.getByRole('button', { name: /Sign in in \d+ s/ }).waitFor()
    await page.getByRole('button', { name: /^Sign in(?! in)/ }).waitFor()
    await field.fill(headgate.teamToken)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${headgate.url}/`)
    expect(browser.outside).toEqual([])
    await page.close()
  },
)

/** From the same address as the browser. */
function guess(token: string): Promise<Response> {
  return fetch(`${headgate.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
}
