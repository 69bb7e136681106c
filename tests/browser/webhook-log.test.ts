import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { lacksBrowser } from '../support/pages/browser.ts'
import { type DashboardStage, openDashboardStage } from '../support/pages/dashboard-stage.ts'
import { until } from '../support/product/headgate.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const lacks = lacksBrowser()
let stage: DashboardStage

beforeAll(async () => {
  if (!lacks) stage = await openDashboardStage()
})
afterAll(async () => stage?.close())

describe.skipIf(lacks)('the log of a webhook', () => {
  test('shows the first delivery as it arrives, opens it, and sends it again', async () => {
    const { id } = await stage.webhook('First', '/first')
    const page = await stage.open(`/webhooks/${id}`)
    await page.getByText('Waiting for the first block').waitFor()
    await isLive(page)
    await stage.chain.mine()

    const row = rows(page).first()
    await row.getByText('Delivered').waitFor()
    await row.click()
    const drawer = page.getByRole('complementary', { name: 'Delivery' })
    await drawer.getByText(/^200$/).waitFor()
    expect(page.url()).toContain('delivery=whevt_')
    expect(await drawer.getByText(/^200$/).count()).toBe(1)

    await page.keyboard.press('r')
    await until(() => stage.receiver.acceptedOn('/first').length === 2, 'it comes again')
    await drawer.getByText(/^200$/).nth(1).waitFor()
    await page
      .locator('#toasts')
      .getByText(/Sent again: 200/)
      .waitFor()
    const [one, other] = stage.receiver.acceptedOn('/first')
    expect(other?.body).toBe(one?.body ?? '')

    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('delivery=')
    await page.close()
  })

  test('shows the body as it was sent, and the headers that sign it', async () => {
    const { id, signing_key } = await stage.webhook('Headers', '/headers')
    await stage.chain.mine()
    await until(() => stage.receiver.acceptedOn('/headers').length === 1, 'it is delivered')
    const [arrival] = stage.receiver.acceptedOn('/headers')
    const page = await stage.open(`/webhooks/${id}?delivery=${arrival?.json.id}`)
    const drawer = page.getByRole('complementary', { name: 'Delivery' })
    await drawer.getByRole('tab', { name: 'Headers' }).click()
    const shown = await drawer.getByRole('tabpanel').textContent()
    for (const name of ['x-service-signature', 'webhook-signature', 'webhook-timestamp']) {
      expect(shown).toContain(`${name}: ${arrival?.headers.get(name)}`)
    }
    expect(await page.locator('body').textContent()).not.toContain(signing_key)

    await drawer.getByRole('tab', { name: 'Raw' }).click()
    expect(await drawer.getByRole('tabpanel').textContent()).toBe(arrival?.body ?? '')
    await drawer.getByRole('button', { name: 'Copy the body' }).click()
    await page.locator('#toasts').getByText('Copied the body').waitFor()
    expect(await copied(page)).toBe(arrival?.body ?? '')

    // The hash is cut in view, and whole when it is selected and copied.
    await drawer.getByRole('tab', { name: 'Body' }).click()
    const { hash } = arrival?.json.event.data.block ?? {}
    expect(await drawer.getByRole('tabpanel').textContent()).not.toContain(hash)
    await page.evaluate(
      `getSelection().selectAllChildren(document.querySelector('.drawer [role=tabpanel] code'))`,
    )
    await page.keyboard.press('Control+c')
    expect(JSON.parse(await copied(page))).toEqual(arrival?.json)
    await page.close()
  })

  test('marks what a reorganisation ran again, and strikes what it replaced', async () => {
    const { id } = await stage.webhook('Reorganised', '/reorganised')
    const page = await stage.open(`/webhooks/${id}`)
    await isLive(page)
    const snapshot = await stage.chain.call('evm_snapshot')
    await stage.chain.mine()
    await rows(page).first().getByText('Delivered').waitFor()
    await stage.chain.call('evm_revert', snapshot)
    await stage.chain.call('evm_increaseTime', 7)
    await stage.chain.mine(2)
    await page.locator('tr[data-delivery]', { hasText: 're-run' }).waitFor()
    await page.locator('tr.sup', { hasText: 'superseded' }).waitFor()

    // One height, two versions: the drawer shows both, and leads from one to the other.
    await page.locator('tr[data-delivery]', { hasText: 're-run' }).click()
    const drawer = page.getByRole('complementary', { name: 'Delivery' })
    await drawer.getByText('Re-run after a reorganisation').waitFor()
    await drawer.getByText('Version before').waitFor()
    await drawer.getByRole('button', { name: 'Open it' }).click()
    await drawer.getByText('Superseded').waitFor()
    await drawer.getByText('The right version').waitFor()

    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Re-runs' }).click()
    await until(async () => (await rows(page).count()) === 1, 'the filter leaves one')
    expect(page.url()).toContain('rerun=1')
    await page.close()
  })

  test('holds still while somebody reads, and counts what is newer', async () => {
    const { id } = await stage.webhook('Held', '/held')
    const page = await stage.open(`/webhooks/${id}`)
    await isLive(page)
    await stage.chain.mine()
    await rows(page).first().getByText('Delivered').waitFor()
    await page.locator('h1').click()
    await page.keyboard.press('Space')
    await page.getByText('Held', { exact: true }).last().waitFor()
    await stage.chain.mine(2)
    await page.getByRole('button', { name: '2 newer' }).waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: '2 newer' }).click()
    await until(async () => (await rows(page).count()) === 3, 'they come in')
    await page.getByText('Following').waitFor()
    await page.close()
  })

  test('goes from one delivery to the next by keys, and back', async () => {
    const { id } = await stage.webhook('Keys', '/keys')
    await stage.chain.mine(3)
    await until(() => stage.receiver.acceptedOn('/keys').length === 3, 'all are delivered')
    const page = await stage.open(`/webhooks/${id}`)
    await rows(page).nth(2).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.locator('tr[data-delivery]:nth-child(2):focus').waitFor()
    await page.keyboard.press('Enter')
    const heading = page.getByRole('complementary', { name: 'Delivery' }).getByRole('heading')
    const numbers = await blockNumbers(page)
    await heading.getByText(`Block ${numbers[1]}`).waitFor()
    await page.keyboard.press('j')
    await heading.getByText(`Block ${numbers[2]}`).waitFor()
    await page.keyboard.press('k')
    await heading.getByText(`Block ${numbers[1]}`).waitFor()
    expect(await page.locator('tr[aria-selected="true"]').count()).toBe(1)
    await page.goBack()
    await page.getByRole('complementary', { name: 'Delivery' }).waitFor({ state: 'detached' })
    await page.close()
  })

  test('shows failed attempts, when the next is due, and what was answered', async () => {
    stage.receiver.answer = (path) => (path === '/failing' ? 503 : 200)
    const { id } = await stage.webhook('Failing', '/failing')
    await stage.chain.mine()
    const page = await stage.open(`/webhooks/${id}?status=waiting`)
    const row = rows(page).first()
    await row.getByText('Retrying').waitFor()
    await row.getByText(/503 · next/).waitFor()
    await row.click()
    const drawer = page.getByRole('complementary', { name: 'Delivery' })
    await drawer.getByText(/^503$/).nth(1).waitFor()
    await drawer.getByText(/Next attempt/).waitFor()
    expect(await drawer.getByRole('button', { name: /Resend/ }).isDisabled()).toBe(true)
    await page.getByText('Active, retrying: answers 503; 1 waits').waitFor()
    await page.close()
  })

  test('asks nowhere but here, and says so when nothing matches', async () => {
    const { id } = await stage.webhook('Filtered', '/filtered')
    await stage.chain.mine()
    const page = await stage.open(`/webhooks/${id}?status=failed&block=123456`)
    await page.getByText('Nothing matches these filters').waitFor()
    await page.getByText('No delivery of block 123,456, with the status failed.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows(page).first().waitFor()
    expect(stage.browser.outside).toEqual([])
    await page.close()
  })
})

function rows(page: Page): Locator {
  return page.locator('tr[data-delivery]')
}

async function blockNumbers(page: Page): Promise<string[]> {
  const cells = await page.locator('tr[data-delivery] td:nth-child(2) .b').allTextContents()
  return cells.map((text) => text.trim())
}

async function isLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor()
}

function copied(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}
