import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { VERIFY_SNIPPETS } from '../../dashboard/pages/webhook/keys/verify-snippets.ts'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser } from '../support/pages/browser.ts'
import { type DashboardStage, openDashboardStage } from '../support/pages/dashboard-stage.ts'
import { until } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const MARKUP = '<img src=x onerror="window.planted=1"><b>bold</b>'

const lacks = lacksBrowser()
let stage: DashboardStage

beforeAll(async () => {
  if (!lacks) stage = await openDashboardStage()
})
afterAll(async () => stage?.close())

describe.skipIf(lacks)('the list of webhooks', () => {
  test('asks two calls for all of them, and one for the limit', async () => {
    for (let at = 0; at < 12; at++) await stage.webhook(`Many ${at}`, '/many')
    const page = await stage.browser.newPage()
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    await page.goto(`${stage.headgate.url}/webhooks`)
    await row(page, 'Many 11').getByText('none yet').waitFor()
    const counted = Map.groupBy(calls, (path) => path)
    expect(counted.get('/api/team-webhooks')?.length).toBe(1)
    expect(counted.get('/api/webhook-stats')?.length).toBe(1)
    expect(calls.filter((path) => path.startsWith('/api/')).length).toBeLessThanOrEqual(8)
    await page.close()
  })

  test('filters by name, state and network, in the address', async () => {
    const { id } = await stage.webhook('Needle', '/needle')
    await stage.headgate.api('PUT', '/api/update-webhook', { webhook_id: id, is_active: false })
    const page = await stage.open('/webhooks')
    await row(page, 'Needle').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needl')
    await until(async () => (await shownNames(page)).join() === 'Needle', 'one is left')
    expect(page.url()).toContain('q=needl')
    await page.getByRole('button', { name: /^Active/ }).click()
    await page.getByText('Nothing matches these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.goto(`${stage.headgate.url}/webhooks?state=paused`)
    await row(page, 'Needle').getByText('By hand').waitFor()
    expect(await shownNames(page)).toEqual(['Needle'])
    await page.close()
  })

  test('is one stop of the Tab key, with what can be done in the row that was reached', async () => {
    const page = await stage.open('/webhooks')
    await row(page, 'Many 11').waitFor()
    const stops = page.locator('table.whlist [data-row][tabindex="0"]')
    const [first = '', second = ''] = await shownNames(page)
    expect(await stops.allTextContents()).toEqual([first])
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await stops.allTextContents()).toEqual([second])
    await page.keyboard.press('Tab')
    const label = await page.evaluate('document.activeElement.getAttribute("aria-label")')
    expect(label).toBe(`Actions for ${second}`)
    await page.keyboard.press('Tab')
    const isOut = await page.evaluate('document.activeElement.closest("table") === null')
    expect(isOut).toBe(true)
    await page.close()
  })

  test('pauses and unpauses by keys, with a way back', async () => {
    const { id } = await stage.webhook('Switched', '/switched')
    const page = await stage.open('/webhooks?q=Switched')
    await row(page, 'Switched').getByText('Active').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await row(page, 'Switched').getByText('Paused').waitFor()
    await until(async () => (await stateOf(id)) === 'paused', 'it is paused')
    await page.locator('#toasts').getByText('Switched is paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Switched').getByText('Active').waitFor()
    await until(async () => (await stateOf(id)) === 'active', 'it is active again')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Switched', level: 1 }).waitFor()
    await page.close()
  })

  test('says why one is paused, as soon as it is', async () => {
    stage.receiver.answer = (path) => (path === '/gone' ? 410 : 200)
    await stage.webhook('Goner', '/gone')
    const page = await stage.open('/webhooks?q=Goner')
    await page.locator('[data-live="live"]').waitFor()
    await stage.chain.mine()
    await row(page, 'Goner').getByText('Destination gone (410)').waitFor()
    await page.close()
  })

  test('opens the webhook of a delivery, and all deliveries of a block', async () => {
    await stage.webhook('Found', '/found')
    await stage.chain.mine()
    await until(() => stage.receiver.acceptedOn('/found').length === 1, 'it is delivered')
    const [arrival] = stage.receiver.acceptedOn('/found')
    const page = await stage.open(`/webhooks?delivery=${arrival?.json.id}`)
    await page.getByRole('heading', { name: 'Found', level: 1 }).waitFor()
    await page.getByRole('complementary', { name: 'Delivery' }).waitFor()

    const { number } = arrival?.json.event.data.block ?? {}
    await page.goto(`${stage.headgate.url}/webhooks?block=${number}`)
    const link = page.getByRole('link', { name: 'Found' })
    await link.click()
    await page.getByRole('heading', { name: 'Found', level: 1 }).waitFor()
    await page.goto(`${stage.headgate.url}/webhooks?delivery=whevt_0000000000000000`)
    await page.getByText('There is no such delivery').waitFor()
    await page.close()
  })
})

describe.skipIf(lacks)('the page of a webhook', () => {
  test('pauses and unpauses it, with its reason in words', async () => {
    const { id } = await stage.webhook('Paused here', '/paused')
    const page = await stage.open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.locator('.head .tag', { hasText: 'Paused: by hand' }).waitFor()
    await until(async () => (await stateOf(id)) === 'paused', 'it is paused')
    await page.getByRole('button', { name: 'Unpause', exact: true }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await until(async () => (await stateOf(id)) === 'active', 'it is active')
    await stage.chain.mine()
    await until(() => stage.receiver.acceptedOn('/paused').length === 1, 'the next block arrives')
    await page.close()
  })

  test('replays a range, says what it costs before, and shows how far it is', async () => {
    const { id } = await stage.webhook('Replayed', '/replayed')
    await stage.chain.mine(3)
    await until(() => stage.receiver.acceptedOn('/replayed').length === 3, 'all are delivered')
    const { number } = await stage.chain.head()
    const page = await stage.open(`/webhooks/${id}?tab=replay`)
    await page.getByText('No replays yet').waitFor()
    await page.getByLabel('From block').fill(String(number - 2))
    await page.getByLabel('To block, included').fill(String(number))
    await page.getByText(/3 blocks, about 3 deliveries and [\d.]+ CU, by the/).waitFor()
    await page.getByRole('button', { name: 'Replay 3 blocks' }).click()
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByText(/3 blocks · 3 delivered, 0 empty and skipped/).waitFor()
    await until(() => stage.receiver.acceptedOn('/replayed').length === 6, 'all come again')

    await page.getByLabel('To block, included').fill(String(number + 1_000_000))
    await page.getByRole('button', { name: /^Replay 1,000,/ }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('tab', { name: 'Deliveries' }).click()
    await page.locator('tr[data-delivery] .tag', { hasText: 'replay' }).nth(2).waitFor()
    await page.close()
  })

  test('hides the signing key, copies it, and rotates it in two steps', async () => {
    const { id, signing_key } = await stage.webhook('Signed', '/signed')
    const page = await stage.open(`/webhooks/${id}?tab=key`)
    await page.getByRole('button', { name: 'Reveal the signing key' }).waitFor()
    expect(await page.locator('main').textContent()).not.toContain(signing_key)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.locator('#toasts').getByText('Copied the signing key').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(signing_key)
    expect(await page.locator('#toasts').textContent()).not.toContain(signing_key)
    await page.getByRole('button', { name: 'Reveal the signing key' }).click()
    await page.getByText(signing_key).waitFor()

    for (const { name, text } of VERIFY_SNIPPETS) {
      await page.getByRole('tab', { name }).click()
      expect(await page.getByRole('tabpanel').last().textContent()).toBe(text)
    }
    await page.getByRole('button', { name: 'Show the next key first' }).click()
    await page.getByRole('button', { name: 'Reveal the next signing key' }).click()
    const { next_signing_key: next } = await webhookCalled(id)
    await page.getByText(next).waitFor()
    await page.getByRole('button', { name: 'Switch to the next key' }).click()
    await page
      .locator('#toasts')
      .getByText(/The old one signs along/)
      .waitFor()
    expect((await webhookCalled(id)).signing_key).toBe(next)
    await page.close()
  })

  test('is deleted by typing its name, and says where it was that it is gone', async () => {
    const { id } = await stage.webhook('Doomed', '/doomed')
    const page = await stage.open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Actions for Doomed' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Doomed?' })
    const button = dialog.getByRole('button', { name: 'Delete webhook' })
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type/).fill('Doomed')
    await button.click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    expect(await webhookCalled(id)).toBeUndefined()
    await page.goto(`${stage.headgate.url}/webhooks/${id}`)
    await page.getByText('There is no such webhook').waitFor()
    await page.close()
  })

  test('shows markup in names, queries and answers as text', async () => {
    const query = `# ${MARKUP}\n{ block { number } }`
    const { id } = await stage.webhook(MARKUP, '/markup', { graphql_query: { query } })
    await stage.chain.mine()
    await until(() => stage.receiver.acceptedOn('/markup').length === 1, 'it is delivered')
    const [arrival] = stage.receiver.acceptedOn('/markup')
    const page = await stage.open('/webhooks')
    for (const path of [
      '/webhooks',
      `/webhooks/${id}?delivery=${arrival?.json.id}`,
      `/webhooks/${id}?tab=query`,
    ]) {
      await page.goto(`${stage.headgate.url}${path}`)
      await page.getByText(MARKUP).first().waitFor()
      expect(await page.evaluate('window.planted')).toBeUndefined()
      expect(await page.locator('main img').count()).toBe(0)
    }
    await page.close()
  })
})

describe.skipIf(lacks)('axe-core finds nothing', () => {
  test('on the list and on every tab, light and dark, wide and on a phone', async () => {
    stage.receiver.answer = (path) => (path === '/audited' ? 503 : 200)
    const { id } = await stage.webhook('Audited', '/audited')
    await stage.chain.mine(2)
    await until(
      () => stage.receiver.arrivals.some(({ path }) => path === '/audited'),
      'it is tried',
    )
    const tried = stage.receiver.arrivals.find(({ path }) => path === '/audited')
    const page = await stage.open('/webhooks')
    const faults: string[] = []
    for (const [path, text] of [
      ['/webhooks', 'Audited'],
      [`/webhooks/${id}?delivery=${tried?.json.id}`, 'How it is signed'],
      [`/webhooks/${id}?tab=replay`, 'Replay a range'],
      [`/webhooks/${id}?tab=key`, 'Rotate'],
      [`/webhooks/${id}?tab=query`, 'Options'],
      [`/webhooks?block=1`, 'All webhooks'],
      [`/webhooks?q=nothing`, 'Clear filters'],
      [`/webhooks/${id}?status=cancelled`, 'Clear filters'],
      ['/webhooks/wh_0000000000000000', 'There is no such webhook'],
    ] as const) {
      await page.goto(`${stage.headgate.url}${path}`)
      await page.getByText(text).first().waitFor()
      faults.push(...(await faultsOf(page)).map((fault) => `${path} ${fault}`))
    }
    expect(faults).toEqual([])
    await page.close()
  })
})

describe.skipIf(lacks)('a replay that does not get on', () => {
  test('is cancelled where its webhook is looked at', async () => {
    const { id } = await stage.webhook('Stuck', '/stuck')
    const { number } = await stage.chain.head()
    const page = await stage.open(`/webhooks/${id}`)
    await page.locator('[data-live="live"]').waitFor()
    const body = { webhook_id: id, from_block: 0, to_block: number }
    // The last test of this file: nothing is evaluated from here on.
    await stage.headgate.running.followers?.stop()
    await stage.headgate.api('POST', '/api/replay-webhook', body)
    await page.getByText(/^Replaying 0 to/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText(/^Replaying 0 to/).waitFor({ state: 'detached' })
    await page.close()
  })
})

function row(page: Page, name: string) {
  const link = page.getByRole('link', { name, exact: true })
  return page.locator('table.whlist tbody tr', { has: link })
}

function shownNames(page: Page): Promise<string[]> {
  return page.locator('table.whlist a.t').allTextContents()
}

async function webhookCalled(id: string) {
  const { json } = await stage.headgate.api('GET', '/api/team-webhooks')
  return json.data.find((one: { id: string }) => one.id === id)
}

async function stateOf(id: string): Promise<string> {
  return (await webhookCalled(id)).state
}
