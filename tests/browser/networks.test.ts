import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type FakeNode, hashOf, startFakeNode } from '../support/nodes/fake-node.ts'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { dashboardPage } from '../support/pages/dashboard-page.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const lacks = lacksBrowser()
let browser: TestBrowser
let headgate: TestHeadgate
let nodes: FakeNode[] = []

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  nodes = ['good', 'lagging', 'broken'].map((name) => startFakeNode(name))
  const [, lagging, broken] = nodes
  if (lagging) lagging.head = { number: 900, hash: hashOf(900), timestampMs: Date.now() }
  if (broken) broken.misbehave = () => new Response('no', { status: 500 })
  headgate = await startHeadgate({ nodes })
  await until(async () => (await nodeOf('lagging')).state === 'excluded', 'one lags')
  await until(async () => (await nodeOf('broken')).state === 'excluded', 'one is broken')
  for (let at = 0; at < 5; at++) await headgate.post(rpc('eth_getBalance', [`0x${at}`, 'latest']))
  await until(async () => (await nodeOf('good')).calls > 0, 'calls are counted')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  for (const node of nodes) node.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function nodeOf(name: string): Promise<any> {
  const { json } = await headgate.api('GET', '/api/networks')
  return json.data[0].upstreams.find((one: { name: string }) => one.name === name)
}

function row(page: Page, name: string) {
  return page.locator(`[data-node="${name}"]`)
}

test.skipIf(lacks)('a node that is not used stands there with the reason', async () => {
  const page = await dashboardPage(browser, headgate, '/networks')
  await row(page, 'lagging').getByText('Not used').waitFor()
  const { reason } = await nodeOf('lagging')
  expect(reason).toBe('100 blocks behind')
  await row(page, 'lagging').getByText(reason).first().waitFor()
  await row(page, 'broken').getByText('Not used').waitFor()
  await row(page, 'broken').getByText('Last fault:').first().waitFor()
  await row(page, 'good').getByText('healthy').waitFor()
  await row(page, 'good').getByText('100 %').first().waitFor()
  await page.getByText('1 used').waitFor()
  await page.getByText('2 not used').waitFor()
  expect(await page.content()).not.toContain('secret-path')
  await page.close()
})

test.skipIf(lacks)('the head moves while somebody looks', async () => {
  const page = await dashboardPage(browser, headgate, '/networks')
  const head = page.locator('#ETH_MAINNET .inl dd').first()
  await head.getByText('1,000').waitFor()
  nodes[0]?.mine()
  await head.getByText('1,001').waitFor()
  await page.close()
})

test.skipIf(lacks)('an address names the network that is meant', async () => {
  const page = await dashboardPage(browser, headgate, '/networks#ETH_MAINNET')
  await page.locator('#ETH_MAINNET.target').waitFor()
  await page.close()
})

test.skipIf(lacks)('says what is wrong when nothing can be read, and tries again', async () => {
  const page = await dashboardPage(browser, headgate, '/usage')
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
  const refusal = { name: 'ServiceUnavailable', message: 'The store is away.' }
  await page.route('**/api/networks', (route) => route.fulfill({ status: 503, json: refusal }))
  await page.goto(`${headgate.url}/networks`)
  await page.getByText('The store is away.').waitFor()
  await page.unroute('**/api/networks')
  await page.getByRole('button', { name: 'Try again' }).click()
  await row(page, 'good').waitFor()
  await page.route('**/api/networks', (route) => route.fulfill({ json: { data: [] } }))
  await page.reload()
  await page.getByText('No network is configured').waitFor()
  await page.close()
})

test.skipIf(lacks)('everybody can read it, on a desk and in a hand', async () => {
  const page = await dashboardPage(browser, headgate, '/networks')
  await row(page, 'lagging').waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(browser.outside).toEqual([])
  await page.close()
})

test.skipIf(lacks)('where there is no local chain, the page of it says why', async () => {
  const page = await dashboardPage(browser, headgate, '/devnet')
  await page.getByText('There is no devnet here').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.close()
})
