import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../support/devnet/devnet-chain.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signedInPage } from '../support/pages/signed-in-page.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../support/product/teams.ts'

/** Some seconds of real blocks, in a browser that takes a busy machine a while to open. */
setDefaultTimeout(180_000)

const lacks = lacksBrowser()
let browser: TestBrowser
let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver
let team: TestTeam

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '60000' } })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
  team = await newTeam(headgate, 'free')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  await receiver?.stop()
})

function open(path = '/', token = team.token): Promise<Page> {
  return signedInPage(browser, headgate.url, token, path)
}

/** The card with this heading. */
function card(page: Page, heading: string) {
  return page.locator('section.card').filter({ has: page.getByRole('heading', { name: heading }) })
}

async function createWebhook(name: string, url: string): Promise<string> {
  const { json } = await headgate.api(
    'POST',
    '/api/create-webhook',
    {
      network: 'ETH_DEVNET',
      webhook_type: 'GRAPHQL',
      webhook_url: url,
      graphql_query: '{ block { number hash } }',
      name,
    },
    team.token,
  )
  return json.data.id
}

test.skipIf(lacks)('a new team is told what comes first', async () => {
  const made = { name: 'Newcomers', tier: 'free' }
  const { json } = await headgate.api('POST', '/api/teams', made, headgate.operatorToken)
  const page = await open('/', json.data.token)
  await page.getByText('No apps yet').waitFor()
  await page.getByText('No webhooks yet').waitFor()
  await page.getByText('Nothing does').waitFor()
  await page.getByRole('link', { name: 'New app' }).click()
  await page.getByRole('dialog', { name: 'New app' }).waitFor()
  await page.close()
})

test.skipIf(lacks)('heads move while one looks', async () => {
  const page = await open()
  const heads = page.getByRole('region', { name: 'Heads of all networks' })
  const head = heads.getByRole('link').filter({ hasText: 'ETH_DEVNET' })
  await page.locator('[data-live="live"]').waitFor()
  const marks = head.locator('rect')
  await marks.first().waitFor()
  const before = await marks.count()
  await chain.mine(3)
  const { number } = await chain.head()
  await head.getByText(number.toLocaleString('en-US'), { exact: true }).waitFor()
  await marks.nth(before + 2).waitFor({ state: 'attached' })
  await page.reload()
  await marks.nth(before + 2).waitFor({ state: 'attached' })
  await page.close()
})

test.skipIf(lacks)('calls are counted, with what failed and why', async () => {
  const page = await open()
  const requests = card(page, 'Requests')
  await requests.getByText('No calls in the last 24 hours').waitFor()
  const { key } = team
  for (let call = 0; call < 3; call++) await headgate.post(rpc('eth_gasPrice'), { key })
  await headgate.post(rpc('admin_peers'), { key })

  const figure = (name: string) => requests.locator('.fig').filter({ hasText: name })
  await figure('Requests').getByText('4', { exact: true }).waitFor()
  await figure('Succeeded').getByText('75.00').waitFor()
  await requests.getByText('1 call failed').waitFor()
  await requests.getByText('of a method that is not served here').waitFor()
  await page.getByRole('button', { name: '1 h', exact: true }).click()
  expect(page.url()).toBe(`${headgate.url}/?range=1h`)
  await requests.getByRole('img', { name: /^Requests by the minute/ }).waitFor()
  await page.goBack()
  await page.close()
})

test.skipIf(lacks)('deliveries and what stopped are shown as they happen', async () => {
  const page = await open()
  await page.getByText('No webhooks yet').waitFor()
  const good = await createWebhook('Treasury', `${receiver.url}/good`)
  await createWebhook('Gone', `${receiver.url}/gone`)
  receiver.answer = (path) => (path === '/gone' ? 410 : 200)
  const deliveries = card(page, 'Webhook deliveries')
  await deliveries.getByRole('link', { name: /Treasury/ }).waitFor()
  await chain.mine()
  await deliveries.getByRole('img', { name: 'Last deliveries of Treasury' }).waitFor()
  await deliveries.getByText('100 %').waitFor()

  const attention = card(page, 'Needs attention')
  await attention.getByText('Gone is paused').waitFor()
  await attention.getByText('Its destination answered 410 Gone.').waitFor()
  await deliveries.getByRole('link', { name: /Treasury/ }).click()
  await page.waitForURL(`${headgate.url}/webhooks/${good}`)
  expect(browser.outside).toEqual([])
  await page.close()
})
