import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signedInPage } from '../support/pages/signed-in-page.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../support/product/teams.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const MARKUP = '<img src=x onerror="window.planted=1"><b>bold</b>'

const lacks = lacksBrowser()
const node = startFakeNode('node-a')
let browser: TestBrowser
let headgate: TestHeadgate
let team: TestTeam
let page: Page

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ nodes: [node] })
  team = await newTeam(headgate, 'growth')
  page = await signedInPage(browser, headgate.url, team.token, '/apps')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  node.stop()
})

/** The status of a call with a key. */
async function statusOf(key: string): Promise<number> {
  return (await headgate.post(rpc('eth_blockNumber'), { key })).status
}

async function toastSays(text: string | RegExp): Promise<void> {
  await page.locator('#toasts').getByText(text).first().waitFor()
}

function copied(): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

/** The app of this name as the API has it. */
async function appCalled(name: string) {
  const { json } = await headgate.api('GET', '/api/apps', undefined, team.token)
  return json.data.find((app: { name: string }) => app.name === name)
}

/** Makes an app through the API and opens its page. */
async function openApp(name: string): Promise<{ id: string; key: string }> {
  const body = { name, networks: ['ETH_MAINNET'] }
  const { json } = await headgate.api('POST', '/api/apps', body, team.token)
  await page.goto(`${headgate.url}/apps/${json.data.id}`)
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  return json.data
}

test.skipIf(lacks)('an app is created, its key copied, and a call made with it', async () => {
  await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'New app' })
  await dialog.getByLabel('Name').fill('Checkout')
  await dialog.getByLabel('Description').fill('Payment confirmation')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Checkout', level: 1 }).waitFor()
  await toastSays('Checkout is ready. Its key works now.')
  const { id, key } = await appCalled('Checkout')
  expect(page.url()).toBe(`${headgate.url}/apps/${id}`)

  await page.getByRole('button', { name: 'Copy key' }).click()
  await toastSays('Copied the key of Checkout')
  expect(await copied()).toBe(key)
  expect(await page.locator('#toasts').textContent()).not.toContain(key)
  await until(async () => (await statusOf(key)) === 200, 'the new key works')

  await page.getByRole('button', { name: 'Copy URL of ETH_MAINNET' }).click()
  expect(await copied()).toBe(`${headgate.url}/eth-mainnet/v2/${key}`)
})

test.skipIf(lacks)('calls of an app show up on its page and in the list', async () => {
  const { key } = await openApp('Busy')
  await until(async () => (await statusOf(key)) === 200, 'the new key works')
  for (let call = 0; call < 4; call++) await headgate.post(rpc('eth_gasPrice'), { key })
  await until(async () => {
    await page.reload()
    await page.getByText('Requests by method').waitFor()
    return page.getByRole('cell', { name: 'eth_gasPrice' }).isVisible()
  }, 'the method is listed')
  const row = page.getByRole('row').filter({ hasText: 'eth_gasPrice' })
  await row.getByRole('cell', { name: '4', exact: true }).waitFor()
  await page.goto(`${headgate.url}/apps`)
  const listed = page.getByRole('row').filter({ hasText: 'Busy' })
  await listed.getByText('this hour').waitFor()
  await listed.getByText('100 %').waitFor()
})

test.skipIf(lacks)('a key is hidden but its last four, and hides again by itself', async () => {
  const { id, key } = await openApp('Shy')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`${headgate.url}/apps/${id}`)
  const shown = page.locator('.keyrow code')
  expect(await shown.textContent()).toBe(`${'•'.repeat(28)}${key.slice(-4)}`)
  expect(await page.locator('body').innerText()).not.toContain(key)
  await page.getByRole('button', { name: 'Reveal the key of Shy' }).click()
  expect(await shown.textContent()).toBe(key)
  await page.clock.fastForward(29_000)
  expect(await shown.textContent()).toBe(key)
  await page.clock.fastForward(2_000)
  await page.getByRole('button', { name: 'Reveal the key of Shy' }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain(key)
  await page.close()
})

test.skipIf(lacks)('addresses stand in both forms, and snippets read the key', async () => {
  const { key } = await openApp('Forms')
  await page.getByRole('button', { name: 'By host' }).click()
  await page.getByRole('button', { name: 'Copy URL of ETH_MAINNET' }).click()
  const { host } = new URL(headgate.url)
  expect(await copied()).toBe(`http://eth-mainnet.${host}/v2/${key}`)
  expect(page.url()).toContain('form=host')
  for (const name of ['viem', 'ethers', 'web3.py', 'curl']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('button', { name: 'Copy the snippet' }).click()
    const snippet = await copied()
    expect(snippet).toContain('HEADGATE_KEY')
    expect(snippet).not.toContain(key)
  }
})

test.skipIf(lacks)('an app is renamed, and its key stays', async () => {
  const { id, key } = await openApp('Old name')
  await page.getByRole('button', { name: 'Edit' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText(/name/).waitFor()
  await name.fill('New name')
  await page.getByLabel('Description').fill('What it is for')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor()
  await page.getByText('What it is for').waitFor()
  expect(await appCalled('New name')).toMatchObject({ id, key, description: 'What it is for' })
})

test.skipIf(lacks)('an app is deactivated at once, and Undo takes it back', async () => {
  const { key } = await openApp('Switched')
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await toastSays('Switched is inactive. Its key gets 403.')
  await until(async () => (await statusOf(key)) === 403, 'the key is refused')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Deactivate' }).waitFor()
  await until(async () => (await statusOf(key)) === 200, 'the key works again')
})

test.skipIf(lacks)('a key is rotated only after the name was typed', async () => {
  const { key } = await openApp('Leaky')
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate the key of Leaky?' })
  const rotate = dialog.getByRole('button', { name: 'Rotate key' })
  expect(await rotate.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Leaky to confirm').fill('leaky')
  expect(await rotate.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Leaky to confirm').fill('Leaky')
  await rotate.click()
  await toastSays('Leaky has a new key. The old one gets 401.')
  const { key: next } = await appCalled('Leaky')
  expect(next).not.toBe(key)
  await page.locator('.keyrow').getByText(next.slice(-4)).waitFor()
  await until(async () => (await statusOf(key)) === 401, 'the old key is refused')
  expect(await statusOf(next)).toBe(200)
})

test.skipIf(lacks)('an app is deleted only after its name was typed', async () => {
  const { id } = await openApp('Goner')
  await page.getByRole('button', { name: 'Delete Goner' }).click()
  const deletions: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'DELETE') deletions.push(request.url())
  })
  const typed = page.getByLabel('Type Goner to confirm')
  await typed.fill('Gone')
  await typed.press('Control+Enter')
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect(deletions).toEqual([])
  await typed.fill('Goner')
  await page.getByRole('button', { name: 'Delete app' }).click()
  await page.waitForURL(`${headgate.url}/apps`)
  await toastSays('Goner is deleted. Its key gets 401.')
  expect(await appCalled('Goner')).toBeUndefined()
  await page.goto(`${headgate.url}/apps/${id}`)
  await page.getByText('There is no such app').waitFor()
})

test.skipIf(lacks)('the last network of an app stays open', async () => {
  await openApp('Narrow')
  const last = page.getByRole('switch', { name: 'ETH_MAINNET' })
  expect([await last.isChecked(), await last.isDisabled()]).toEqual([true, true])
})

test.skipIf(lacks)('the limits of an app act at once, and Undo takes them back', async () => {
  const { key } = await openApp('Limited')
  const adding = async (one: string, text: string) => {
    const field = page.getByRole('textbox', { name: `Add ${one}` })
    await field.fill(text)
    await field.press('Enter')
  }
  await page.getByText('anybody who has it').waitFor()
  await page.getByRole('button', { name: 'Add method' }).press('Enter')
  await adding('method', '*')
  await page.getByRole('alert').getByText('It must be the name of a method').waitFor()
  expect(await page.getByRole('button', { name: 'Remove *' }).count()).toBe(0)
  expect(await faultsOf(page)).toEqual([])

  await adding('method', 'eth_gasPrice, net_*')
  await toastSays('Allowed 2 methods for Limited')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('anybody who has it').waitFor()
  await adding('method', 'eth_gasPrice')
  await page.getByText('1 limit', { exact: true }).waitFor()
  await until(async () => (await statusOf(key)) === 403, 'other methods are refused')
  await page.getByRole('button', { name: 'Remove eth_gasPrice' }).click()
  await toastSays('All methods are allowed now')
  await until(async () => (await statusOf(key)) === 200, 'all methods may be called again')
  await page.getByRole('textbox', { name: 'Add method' }).press('Escape')
  await page.getByRole('button', { name: 'Add method' }).waitFor()

  await page.getByRole('button', { name: 'Add origin' }).press('Enter')
  await adding('origin', `https://${'Some-Department.'.repeat(9)}example/`)
  const long = page.locator(`.chip[title="https://${'some-department.'.repeat(9)}example"]`)
  await long.waitFor()
  const outer = await page.getByLabel('Who may use this key').boundingBox()
  expect((await long.boundingBox())?.width).toBeLessThan(outer?.width ?? 0)
})

test.skipIf(lacks)('markup in a name is shown as text', async () => {
  await openApp(MARKUP)
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await toastSays(`${MARKUP} is inactive. Its key gets 403.`)
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('heading', { name: `Rotate the key of ${MARKUP}?` }).waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${headgate.url}/apps`)
  await page.getByRole('link', { name: MARKUP }).waitFor()
  await page.goto(headgate.url)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('onerror')
  await page.getByRole('option', { name: `Copy the key of ${MARKUP}` }).waitFor()
  expect(await page.evaluate('window.planted')).toBeUndefined()
  expect(browser.outside).toEqual([])
})

test.skipIf(lacks)('a long list is filtered and walked through by keys', async () => {
  for (let made = 0; made < 9; made++) await openApp(`One of many ${made}`)
  await page.goto(`${headgate.url}/apps`)
  await page.getByRole('link', { name: 'One of many 8' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('many 4')
  await page.getByRole('link', { name: 'One of many 8' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('q')).toBe('many 4')
  await page.reload()
  await page.getByRole('link', { name: 'One of many 4' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'One of many 4', level: 1 }).waitFor()
})
