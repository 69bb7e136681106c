import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

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

test.skipIf(lacks)(
  'a reader searches, goes on with the keys, and asks no other server',
  async () => {
    await browser.context.clearCookies()
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${headgate.url}/docs`)
    await page.getByRole('heading', { name: 'Headgate', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('rotating signing key')
    await page.getByRole('option', { name: /Rotating the signing key/ }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${headgate.url}/docs/receiving-webhooks#rotating-the-signing-key`)
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor()
    expect(asked.filter((url) => !url.startsWith(headgate.url))).toEqual([])
    await page.close()
  },
)

test.skipIf(lacks)('light becomes dark, and stays so on the next page', async () => {
  const page = await browser.newPage()
  await page.goto(`${headgate.url}/docs/dashboard`)
  const theme = () => page.locator('html').getAttribute('data-theme')
  await page.getByRole('button', { name: /light and dark/ }).click()
  const chosen = await theme()
  expect(['light', 'dark']).toContain(chosen ?? '')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Concepts', exact: true }).first().click()
  await page.waitForURL(`${headgate.url}/docs/concepts`)
  expect(await theme()).toBe(chosen)
  await page.close()
})

test.skipIf(lacks)('an old link to a call leads to the reference', async () => {
  const page = await browser.newPage()
  await page.goto(`${headgate.url}/docs#createWebhook`)
  await page.waitForURL(`${headgate.url}/docs/reference#createWebhook`)
  await page.close()
})
