import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../support/product/teams.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

/** The first call uses the month up. */
const TIERS = { tiny: { monthlyCu: 1, cuPerSecond: null } }

const lacks = lacksBrowser()
const node = startFakeNode('node-a')
let browser: TestBrowser
let headgate: TestHeadgate
let team: TestTeam
let page: Page

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ nodes: [node], env: { HEADGATE_TIERS: JSON.stringify(TIERS) } })
  team = await newTeam(headgate, 'tiny')
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  node.stop()
})

function call() {
  return headgate.post(rpc('eth_gasPrice'), { key: team.key })
}

async function untilStatus(status: number): Promise<void> {
  await until(async () => (await call()).status === status, `calls are answered ${status}`)
}

test.skipIf(lacks)('the message of a used up month leads to the page that helps', async () => {
  expect((await call()).status).toBe(200)
  await untilStatus(429)
  const { message } = (await call()).json.error
  const address = /https?:\S+/.exec(message)?.[0] ?? ''
  expect(address).toBe(`${headgate.url}/settings/billing`)

  await page.goto(address)
  await page.getByLabel('Team token').fill(team.token)
  await page.keyboard.press('Enter')
  await page.waitForURL(address)
  await page
    .getByRole('status')
    .getByText(/is used up/)
    .waitFor()
  await page.getByText(/^calls get 429 until/).waitFor()
  await page.getByText('This Headgate is self-hosted and takes no payment').waitFor()
  expect(await page.getByRole('switch', { name: /Autoscaling/ }).isChecked()).toBe(false)
})

test.skipIf(lacks)('autoscaling is turned on, calls are served, and Undo stops them', async () => {
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Autoscaling is on. Calls go on past the limit.').waitFor()
  await untilStatus(200)
  await page.getByText('past the limit, and going on').waitFor()
  await page.getByText(/is used up/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await untilStatus(429)
  expect(await page.getByRole('switch', { name: /Autoscaling/ }).isChecked()).toBe(false)
})

test.skipIf(lacks)('every page says that the month is used up, and where to go', async () => {
  for (const path of ['/', '/apps', '/settings']) {
    await page.goto(`${headgate.url}${path}`)
    await page.getByRole('link', { name: 'See what to do' }).waitFor()
  }
  await page.getByRole('link', { name: 'See what to do' }).click()
  await page.waitForURL(`${headgate.url}/settings/billing`)
})

test.skipIf(lacks)('a refused switch is put back and says why', async () => {
  await page.route('**/api/team', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { name: 'Overloaded', message: 'The store is away.' } })
      : route.continue(),
  )
  await page.getByRole('switch', { name: /Autoscaling/ }).click()
  await page.locator('#toasts').getByText('The store is away.').waitFor()
  expect(await page.getByRole('switch', { name: /Autoscaling/ }).isChecked()).toBe(false)
  await page.unroute('**/api/team')
})

test.skipIf(lacks)(
  'the operator moves the team to another tier, and calls are served',
  async () => {
    await browser.context.clearCookies()
    await page.goto(`${headgate.url}/sign-in?then=/settings/teams`)
    await page.getByLabel('Team token').fill(headgate.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByLabel('Tier of On tiny').selectOption('growth')
    await page.getByText('On tiny is on growth').waitFor()
    await untilStatus(200)

    await page.getByRole('button', { name: 'View On tiny' }).click()
    await page.waitForURL(`${headgate.url}/`)
    await page.getByRole('button', { name: 'On tiny', exact: true }).waitFor()
    await page.goto(`${headgate.url}/settings/billing`)
    const row = page.getByRole('row').filter({ hasText: 'tiny' })
    await row.getByRole('button', { name: 'Move the team here' }).click()
    await page.getByText('On tiny is on tiny').waitFor()
    await untilStatus(429)
    await page
      .getByRole('status')
      .getByText(/is used up/)
      .waitFor()
    expect(browser.outside).toEqual([])
  },
)
