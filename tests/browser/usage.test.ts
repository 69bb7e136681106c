import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { dashboardPage } from '../support/pages/dashboard-page.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const CALLS = { eth_gasPrice: 3, eth_getBalance: 2, eth_chainId: 4 }

type Sums = { calls: number; cu: number }

const lacks = lacksBrowser()
let browser: TestBrowser
let headgate: TestHeadgate
let used: Sums

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({
    env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', HEADGATE_TIERS_ENTERPRISE_MONTHLY_CU: '1000' },
  })
  for (const [method, times] of Object.entries(CALLS)) {
    const params = method === 'eth_getBalance' ? [`0x${'11'.repeat(20)}`, 'latest'] : []
    for (let at = 0; at < times; at++) await headgate.post(rpc(method, params))
  }
  await until(async () => (await summary()).calls === 9, 'calls are counted')
  used = await summary()
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
})

async function summary(): Promise<Sums> {
  return (await headgate.api('GET', '/api/usage/summary')).json.data.this_month
}

/** The figures of a row: compute units, then calls. */
async function rowOf(page: Page, name: string): Promise<string[]> {
  const cells = page.getByRole('row', { name }).getByRole('cell')
  await cells.first().waitFor()
  return [await cells.nth(3).innerText(), await cells.nth(4).innerText()]
}

async function download(page: Page): Promise<string[][]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  const text = readFileSync(await file.path(), 'utf8')
  return text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
}

test.skipIf(lacks)('shows what was called by method, day by day', async () => {
  const page = await dashboardPage(browser, headgate, '/usage')
  expect(await rowOf(page, 'eth_gasPrice')).toEqual(['60', '3'])
  expect(await rowOf(page, 'eth_getBalance')).toEqual(['40', '2'])
  const today = String(new Date().getUTCDate())
  const tips = await page.locator('.chart [data-tip]').evaluateAll((all) => {
    return all.map((one) => one.getAttribute('data-tip') ?? '')
  })
  const [ofToday, ...others] = tips.filter((tip) => tip.includes('eth_gasPrice'))
  expect(others).toEqual([])
  expect(ofToday?.split(' ')[0]).toBe(today)
  expect(ofToday).toContain('eth_getBalance  40')
  await page.close()
})

test.skipIf(lacks)('the file has the same sums as the page and the API', async () => {
  const page = await dashboardPage(browser, headgate, '/usage')
  const [head, ...lines] = await download(page)
  expect(head).toEqual(['start', 'method', 'calls', 'cu', 'bytes'])
  const sum = (at: number) => lines.reduce((all, line) => all + Number(line[at]), 0)
  expect({ calls: sum(2), cu: sum(3) }).toEqual({ calls: used.calls, cu: used.cu })
  await page.getByText(`${used.cu} CU in all`).waitFor()
  await page.close()
})

test.skipIf(lacks)(
  'splits by app and network, opens a day, and keeps all that in view',
  async () => {
    const page = await dashboardPage(browser, headgate, '/usage')
    await page.getByRole('button', { name: 'Network' }).click()
    expect(await rowOf(page, 'ETH_DEVNET')).toEqual([String(used.cu), '9'])
    await page.getByRole('button', { name: 'App', exact: true }).click()
    expect(await rowOf(page, 'Default app')).toEqual([String(used.cu), '9'])
    const day = new Date().toISOString().slice(0, 10)
    await page.locator('.chart [data-tip*="Default app"]').click()
    await page.getByRole('heading', { name: 'Compute units by hour' }).waitFor()
    expect(new URL(page.url()).search).toBe(`?by=app&bucket=hour&period=${day}`)
    await page.reload()
    expect(await rowOf(page, 'Default app')).toEqual([String(used.cu), '9'])
    const [head] = await download(page)
    expect(head?.slice(0, 3)).toEqual(['start', 'app_id', 'app_name'])
    await page.close()
  },
)

test.skipIf(lacks)('a month without any use says so, and the future is out of reach', async () => {
  const page = await dashboardPage(browser, headgate, '/usage?period=2025-02')
  await page.getByText('Nothing was used in February 2025').waitFor()
  expect(await page.getByRole('button', { name: 'CSV' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'March 2025' }).click()
  await page.getByText('Nothing was used in March 2025').waitFor()
  await page.goto(`${headgate.url}/usage?period=9999-01`)
  await page.getByText('eth_gasPrice').waitFor()
  expect(await page.locator('.stepper button').last().isDisabled()).toBe(true)
  await page.close()
})

test.skipIf(lacks)('says how much of the plan is used, and what happens at its limit', async () => {
  const page = await dashboardPage(browser, headgate, '/usage')
  await page.getByText('of 1,000 CU').first().waitFor()
  await page.getByText('Calls get 429 until').waitFor()
  await page.getByRole('switch', { name: 'Autoscaling' }).click()
  await page.getByRole('heading', { name: 'On, as now' }).waitFor()
  await until(
    async () => (await headgate.api('GET', '/api/team')).json.data.autoscaling,
    'autoscaling is on',
  )
  await page.close()
})

test.skipIf(lacks)('everybody can read it, on a desk and in a hand', async () => {
  const page = await dashboardPage(browser, headgate, '/usage')
  await page.getByText('eth_gasPrice').waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(browser.outside).toEqual([])
  await page.close()
})
