import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { addStoredLog } from '../support/deliveries/stored-log.ts'
import { lacksBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { BLOCK_QUERY, signedInBrowser } from '../support/pages/dashboard-stage.ts'
import { startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'
import { WORLD } from '../support/product/world.ts'

/** The rows go into the store's file, and a busy machine scrolls slowly. */
setDefaultTimeout(300_000)

/** A hundred thousand take minutes on a busy machine; `bench/p19-dashboard.ts` has them too. */
const DELIVERIES = Number(process.env.HEADGATE_LOG_DELIVERIES ?? 30_000)
const OLDEST = 1_000_001
const NEWEST = 1_000_000 + DELIVERIES
const ENV = { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' }

/** The store of the other world is no file. */
const lacks = lacksBrowser() || WORLD === 'postgres'
const folder = mkdtempSync(join(tmpdir(), 'headgate-'))
let headgate: TestHeadgate
let browser: TestBrowser
let webhookId: string

beforeAll(async () => {
  if (lacks) return
  const first = await startHeadgate({ dataFolder: folder, env: ENV })
  webhookId = await pausedWebhook(first)
  await first.stop()
  addStoredLog(join(folder, 'headgate.sqlite'), {
    webhookId,
    deliveries: DELIVERIES,
    nowMs: Date.now(),
  })
  headgate = await startHeadgate({ dataFolder: folder, env: ENV })
  browser = await signedInBrowser(headgate)
})
afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(lacks)('a long log of deliveries', () => {
  test('is scrolled to its end with a call for many rows, and few of them drawn', async () => {
    const page = await browser.newPage()
    const calls: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/deliveries')) calls.push(request.url())
    })
    await page.goto(`${headgate.url}/webhooks/${webhookId}`)
    await rowOf(page, NEWEST).waitFor()
    const mostRows = await scrollDownTo(page, '1,000,001')
    await rowOf(page, OLDEST).waitFor()
    expect(mostRows).toBeLessThan(200)
    expect(calls.length).toBeLessThanOrEqual(DELIVERIES / 500 + 1)

    // What was read on the way down is still there when the reader comes back.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
    const middle = 1_000_000 + DELIVERIES / 2
    await until(() => showsNear(page, middle), 'the middle is shown')
    await page.evaluate('scrollTo(0, 0)')
    await rowOf(page, NEWEST).waitFor()
    expect(calls.length).toBeLessThanOrEqual(DELIVERIES / 500 + 10)
    await page.close()
  })

  test('finds the few that failed, and one block, by filters', async () => {
    const page = await browser.newPage()
    await page.goto(`${headgate.url}/webhooks/${webhookId}?status=failed`)
    await page.locator('tr[data-delivery]', { hasText: 'Failed' }).first().waitFor()
    await scrollDownTo(page, '1,000,500')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByLabel('Block number').fill('1,012,345')
    await page.keyboard.press('Enter')
    await rowOf(page, 1_012_345).waitFor()
    expect(await page.locator('tr[data-delivery]').count()).toBe(1)
    expect(page.url()).toContain('block=1012345')
    await page.close()
  })
})

async function pausedWebhook({ api }: TestHeadgate): Promise<string> {
  const { json } = await api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: 'http://127.0.0.1:9/never',
    graphql_query: BLOCK_QUERY,
    name: 'Long',
  })
  const { id } = json.data
  await api('PUT', '/api/update-webhook', { webhook_id: id, is_active: false })
  return id
}

function rowOf(page: Page, block: number) {
  return page.locator('tr[data-delivery]', { hasText: block.toLocaleString('en-US') })
}

/** Whether rows are drawn of blocks that are no more than some hundreds from this one. */
function showsNear(page: Page, block: number): Promise<boolean> {
  return page.evaluate(
    `[...document.querySelectorAll('tr[data-delivery]')].some((row) => {
      const [shown] = /1,\\d{3},\\d{3}/.exec(row.textContent) ?? ['']
      return Math.abs(Number(shown.replaceAll(',', '')) - ${block}) < 500
    })`,
  )
}

/** Scrolls down frame by frame until a row with this text is there; the most rows ever drawn. */
function scrollDownTo(page: Page, text: string): Promise<number> {
  return page.evaluate(
    `(async () => {
      let most = 0
      for (;;) {
        const rows = [...document.querySelectorAll('tr[data-delivery]')]
        most = Math.max(most, rows.length)
        if (rows.some((row) => row.textContent.includes(${JSON.stringify(text)}))) return most
        scrollTo(0, document.documentElement.scrollHeight)
        await new Promise(requestAnimationFrame)
      }
    })()`,
  )
}
