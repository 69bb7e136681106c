import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { dashboardPage } from '../support/pages/dashboard-page.ts'
import { startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const ENV = { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', HEADGATE_DEVNET_UPSTREAMS: '2' }

const lacks = lacksBrowser()
let browser: TestBrowser
let headgate: TestHeadgate

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ env: ENV })
  await webhookTo('demo')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
})

async function webhookTo(inbox: string): Promise<string> {
  const { json } = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    name: `Blocks to ${inbox}`,
    webhook_url: `${headgate.url}/inbox/${inbox}`,
    graphql_query: '{ block { number hash } }',
  })
  return json.data.id
}

function open(path = '/devnet'): Promise<Page> {
  return dashboardPage(browser, headgate, path)
}

async function headNumber(): Promise<number> {
  return (await headgate.api('GET', '/api/devnet')).json.data.head.number
}

/** Waits for the drawing to have that block as its head. */
async function drawnHead(page: Page, number: number): Promise<void> {
  await page.locator(`.blk.tip[data-block="${number}"]`).waitFor()
}

async function minedTo(page: Page, blocks: number): Promise<number> {
  const from = await headNumber()
  for (let at = 1; at <= blocks; at++) {
    await page.keyboard.press('m')
    await drawnHead(page, from + at)
  }
  return from + blocks
}

test.skipIf(lacks)(
  'mining moves the head, and the inbox gets the block with a signature',
  async () => {
    const page = await open()
    await drawnHead(page, await headNumber())
    const head = (await headNumber()) + 1
    await page.getByRole('button', { name: 'Mine' }).click()
    await drawnHead(page, head)
    const arrival = page.getByRole('row', { name: `${head} ` })
    await arrival.getByText('verified').first().waitFor()
    await page.getByText('Signature verified').waitFor()
    await page.getByRole('heading', { name: `Block ${head}` }).waitFor()
    expect(await headNumber()).toBe(head)
    // A block that somebody else mines shows without a hand.
    await headgate.api('POST', '/api/devnet/mine', { blocks: 1 })
    await drawnHead(page, head + 1)
    await page.close()
  },
)

test.skipIf(lacks)(
  'a reorganisation is drawn as a fork, and its re-runs arrive signed',
  async () => {
    const page = await open()
    await drawnHead(page, await headNumber())
    const head = await minedTo(page, 4)
    const rows = page.locator('.inboxt tbody tr')
    await rows
      .filter({ hasText: new RegExp(`^${head}(?!\\d)`) })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Deeper' }).click()
    expect(await page.getByLabel('Depth of the reorganisation').inputValue()).toBe('3')
    await page.locator('h1').click()
    await page.keyboard.press('x')
    await drawnHead(page, head + 1)
    expect(await page.locator('.blk.gone').count()).toBe(3)
    expect(await page.locator('.blk.new').count()).toBe(3)
    const box = "document.querySelector('.blk.gone .bx')"
    const dashes = await page.evaluate(`getComputedStyle(${box}).strokeDasharray`)
    expect(dashes).not.toBe('none')
    for (const number of [head - 2, head - 1, head]) {
      const rerun = rows
        .filter({ hasText: 're-run' })
        .filter({ hasText: new RegExp(`^${number}(?!\\d)`) })
      await rerun.getByText('verified').first().waitFor()
      const before = page
        .locator('.inboxt tr.sup')
        .filter({ hasText: new RegExp(`^${number}(?!\\d)`) })
      await before.waitFor()
    }
    await page.close()
  },
)

test.skipIf(lacks)('an arrival opens with its body, and its address leads back to it', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Mine' }).click()
  const oldest = page.locator('.inboxt tbody tr').last()
  await oldest.click()
  const id = await oldest.getAttribute('data-arrival')
  expect(new URL(page.url()).searchParams.get('arrival')).toBe(id)
  const body = page.getByLabel('The chosen arrival').locator('pre').first()
  const shown = JSON.parse(await body.innerText())
  expect(shown.event.network).toBe('ETH_DEVNET')
  await page.reload()
  await page.locator(`[data-arrival="${id}"][aria-selected="true"]`).waitFor()
  await page.close()
})

test.skipIf(lacks)('an inbox that fails has its delivery tried again', async () => {
  await webhookTo('flaky')
  const page = await open('/devnet?inbox=flaky')
  await page.getByText('Nothing has arrived').waitFor()
  await page.getByRole('radio', { name: '500' }).check({ force: true })
  await until(async () => (await inboxOf('flaky')).behaviour === 'fail', 'it fails')
  await page.getByRole('button', { name: 'Mine' }).click()
  const rows = page.locator('.inboxt tbody tr')
  await rows.filter({ hasText: '500' }).first().waitFor()
  await page.getByRole('radio', { name: '200', exact: false }).first().check({ force: true })
  await rows.filter({ hasText: 'try 2' }).first().waitFor()
  await page.close()
})

test.skipIf(lacks)('410 pauses the webhook, and the page says so', async () => {
  const id = await webhookTo('gone')
  const page = await open('/devnet?inbox=gone')
  await page.locator(`[data-webhook="${id}"]`).getByText('Active').waitFor()
  await page.getByRole('radio', { name: '410' }).check({ force: true })
  await until(async () => (await inboxOf('gone')).behaviour === 'gone', 'it is gone')
  await page.getByRole('button', { name: 'Mine' }).click()
  const state = page.locator(`[data-webhook="${id}"]`)
  await state.getByText('Paused: destination gone (410)').waitFor()
  await page.close()
})

test.skipIf(lacks)('another inbox is named, and a webhook to it is one link away', async () => {
  const page = await open()
  await page.getByLabel('Name of the inbox').fill('No Good')
  await page.getByText('1 to 64 lower-case letters, digits and hyphens').waitFor()
  await page.getByLabel('Name of the inbox').fill('mine-2')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${headgate.url}/devnet?inbox=mine-2`)
  const link = page.getByRole('link', { name: 'Create a webhook to it' })
  const to = encodeURIComponent(`${headgate.url}/inbox/mine-2`)
  expect(await link.getAttribute('href')).toBe(`/webhooks/new?url=${to}&network=ETH_DEVNET`)
  await page.close()
})

test.skipIf(lacks)(
  'mining is held and resumed, and a transaction waits for its block',
  async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Hold' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect((await headgate.api('GET', '/api/devnet')).json.data.is_held).toBe(true)
    await page.getByRole('button', { name: 'Send a transaction' }).click()
    await page.getByLabel('To', { exact: true }).fill('0x12')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByText('to must be an address').waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('1 transaction in the next block').waitFor()
    await page.keyboard.press('m')
    await page.getByText('1 transaction in the next block').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Hold' }).waitFor()
    await page.close()
  },
)

test.skipIf(lacks)('a node is made to lag, and mended again', async () => {
  const page = await open()
  const node = page.locator('[data-node="devnet-2"]')
  await node.getByRole('button', { name: 'Lags' }).click()
  await page.getByText('devnet-2 lags five blocks behind').waitFor()
  const shown = async () => (await headgate.api('GET', '/api/devnet/upstreams')).json.data[1]
  expect(await shown()).toEqual({ name: 'devnet-2', behaviour: 'lag', blocks: 5 })
  await node.getByRole('button', { name: 'Honest' }).click()
  await node.locator('[aria-pressed="true"]', { hasText: 'Honest' }).waitFor()
  expect(await shown()).toEqual({ name: 'devnet-2', behaviour: 'honest', blocks: 0 })
  await page.close()
})

test.skipIf(lacks)('block time and traffic are changed while the chain runs', async () => {
  const page = await open()
  const chain = async () => (await headgate.api('GET', '/api/devnet')).json.data
  await page.getByLabel('Traffic').selectOption({ label: '3 transactions a block' })
  await until(async () => (await chain()).transactions_per_block === 3, 'traffic is on')
  await page.locator('h1').click()
  await minedTo(page, 1)
  expect((await chain()).blocks.at(-1).transactions).toBe(3)
  await page.getByLabel('A block every').selectOption({ label: '0.25 s' })
  await page.getByText('A block every 0.25 s, with 3 transactions of traffic').waitFor()
  const { number } = (await chain()).head
  await until(async () => (await headNumber()) > number + 1, 'blocks come by time')
  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByText('held: blocks come on command').waitFor()
  await drawnHead(page, await headNumber())
  await page.getByLabel('Traffic').selectOption({ label: 'none' })
  await page.getByLabel('A block every').selectOption({ label: '600 s' })
  await until(async () => (await chain()).block_time_ms === 600_000, 'the pace is as before')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Hold' }).waitFor()
  await page.close()
})

test.skipIf(lacks)('the chain goes back to a height, and is mined anew from there', async () => {
  const page = await open()
  await drawnHead(page, await headNumber())
  const head = await minedTo(page, 3)
  const field = page.getByLabel('Back to block')
  const button = page.getByRole('button', { name: 'Drop' })
  await field.fill('low')
  expect(await button.isDisabled()).toBe(true)
  await field.fill(String(head + 5))
  await button.click()
  await page.getByText('nothing to drop').waitFor()
  await field.fill(String(head - 3))
  await page.keyboard.press('Enter')
  await drawnHead(page, head - 3)
  await page.getByText(`The head is block ${head - 3} again`).waitFor()
  expect(await page.locator(`.blk.gone[data-block="${head}"]`).count()).toBe(1)
  await page.locator('h1').click()
  await minedTo(page, 1)
  const again = page.locator('.inboxt tbody tr').filter({ hasText: 're-run' })
  await again
    .filter({ hasText: new RegExp(`^${head - 2}(?!\\d)`) })
    .first()
    .waitFor()
  await page.close()
})

test.skipIf(lacks)('everybody can read it, on a desk and in a hand', async () => {
  const page = await open('/devnet?inbox=demo')
  await page.locator('.blk.gone').first().waitFor()
  await page.getByText('Signature verified').waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(browser.outside).toEqual([])
  await page.close()
})

async function inboxOf(name: string) {
  const { json } = await headgate.api('GET', '/api/inboxes')
  return json.data.find((inbox: { name: string }) => inbox.name === name) ?? {}
}
