import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signedInPage } from '../support/pages/signed-in-page.ts'
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

/** The card of a call. */
function cardOf(page: Page, id: string) {
  return page.locator(`article#${id}`)
}

function reference(hash = ''): Promise<Page> {
  return signedInPage(browser, headgate.url, headgate.teamToken, `/docs/reference${hash}`)
}

test.skipIf(lacks)('whoever is not signed in can read it, and only read', async () => {
  await browser.context.clearCookies()
  const page = await browser.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${headgate.url}/docs/reference#createApp`)
  await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor()
  const card = cardOf(page, 'createApp')
  await card.getByRole('heading', { name: 'Try it' }).waitFor()
  await card.getByText('Trying it takes a session.').waitFor()
  expect(await card.getByRole('button', { name: /^Send/ }).count()).toBe(0)
  await page
    .getByRole('button', { name: /getApp|\/api\/apps\/\{id\}/ })
    .first()
    .click()
  const calls = asked.filter((path) => path.startsWith('/api/'))
  expect(calls.toSorted()).toEqual(['/api/openapi.json', '/api/session'])
  expect(page.url()).toContain('/docs/reference')
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await page.waitForURL(`${headgate.url}/sign-in?then=%2Fdocs%2Freference`)
  await page.getByLabel('Team token').fill(headgate.teamToken)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${headgate.url}/docs/reference`)
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  await page.close()
})

test.skipIf(lacks)('every call of the document is there, with its fields and errors', async () => {
  const page = await reference('#createWebhook')
  await cardOf(page, 'listApps').waitFor()
  const { paths } = (await headgate.api('GET', '/api/openapi.json')).json
  const ids = Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  const shown = await page
    .locator('article.refcard')
    .evaluateAll((cards) => cards.map(({ id }) => id).filter((id) => !id.startsWith('schema-')))
  expect(shown.toSorted()).toEqual(ids.toSorted())
  const card = cardOf(page, 'createWebhook')
  await card.getByRole('cell', { name: /webhook_url/ }).waitFor()
  await card.getByText('Errors').click()
  await card.getByText('UnsupportedMediaType').waitFor()
  await card.getByRole('link', { name: 'GraphqlQuery' }).first().click()
  await page.locator('article[id^="schema-"]').getByText('skip_empty_messages').waitFor()
  await page.goBack()
  await page.waitForURL(`${headgate.url}/docs/reference#createWebhook`)
  await page.close()
})

test.skipIf(lacks)('the search looks at paths, summaries and names of fields', async () => {
  const page = await reference()
  await page.getByRole('button', { name: '/api/usage/summary' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('signing_key')
  await page.waitForURL(`${headgate.url}/docs/reference?q=signing_key`)
  await cardOf(page, 'createWebhook').waitFor()
  await cardOf(page, 'getUsageSummary').waitFor({ state: 'detached' })
  const field = page.getByLabel('Search the reference')
  await field.fill('DELETE apps')
  await cardOf(page, 'deleteApp').waitFor()
  await cardOf(page, 'listApps').waitFor({ state: 'detached' })
  await field.fill('<img src=x onerror=alert(1)>')
  await page.getByText('Nothing has this in it').waitFor()
  await page.close()
})

test.skipIf(lacks)('a read is sent with the session, and its answer is shown', async () => {
  const page = await reference('#listApps')
  const card = cardOf(page, 'listApps')
  await card.getByRole('button', { name: 'Send GET' }).click()
  const outcome = card.getByRole('status')
  await outcome.getByText('200', { exact: true }).waitFor()
  await outcome.getByText('Default app').waitFor()
  await outcome.getByText(/\d ms$/).waitFor()
  await page.goto(`${headgate.url}/docs/reference#getApp`)
  const app = cardOf(page, 'getApp')
  await app.getByLabel('id', { exact: true }).fill('app_0000000000000000')
  await app.getByRole('button', { name: 'Send GET' }).click()
  await app.getByRole('status').getByText('404', { exact: true }).waitFor()
  await app.getByRole('status').getByText('NotFound').waitFor()
  await page.close()
})

test.skipIf(lacks)('a call that changes something asks first', async () => {
  const page = await reference('#createApp')
  const card = cardOf(page, 'createApp')
  const body = card.getByLabel('Body')
  await body.fill('{"name": "from the reference"')
  await card.getByRole('button', { name: 'Send POST' }).click()
  await card.getByRole('alert').getByText('The body is not JSON').waitFor()
  await body.fill('{"name": "from the reference", "networks": ["ETH_DEVNET"]}')
  await card.getByRole('button', { name: 'Send POST' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('POST /api/apps').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await names()).toEqual(['Default app'])
  await card.getByRole('button', { name: 'Send POST' }).click()
  await dialog.getByRole('button', { name: 'Send POST' }).click()
  await card.getByRole('status').getByText('200', { exact: true }).waitFor()
  expect((await names()).toSorted()).toEqual(['Default app', 'from the reference'])
  await page.close()
})

async function names(): Promise<string[]> {
  const { json } = await headgate.api('GET', '/api/apps')
  return json.data.map(({ name }: { name: string }) => name)
}

test.skipIf(lacks)('a node is called with the key of the chosen app', async () => {
  const page = await reference('#callByPath')
  for (const id of ['callByPath', 'callByBearer']) {
    await page.goto(`${headgate.url}/docs/reference#${id}`)
    const card = cardOf(page, id)
    await card.getByLabel('App').selectOption({ label: 'Default app' })
    await card.getByLabel('network').selectOption('eth-devnet')
    await card.getByRole('button', { name: 'Send POST' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).not.toContain(headgate.appKey)
    await dialog.getByRole('button', { name: 'Send POST' }).click()
    await card.getByRole('status').getByText('x-headgate-cu').waitFor()
    await card.getByRole('status').getByText('"result": "0x').waitFor()
    expect(await card.getByRole('tabpanel').textContent()).toContain('$HEADGATE_KEY')
  }
  await page.close()
})

test.skipIf(lacks)('snippets are copied as they are filled in, and run', async () => {
  const page = await reference('#createApp')
  const card = cardOf(page, 'createApp')
  await card.getByLabel('Body').fill('{"name": "it\'s \\"new\\"", "networks": ["ETH_DEVNET"]}')
  const runs: [language: string, command: (text: string) => string[]][] = [
    ['curl', (text) => ['sh', '-c', text]],
    ['TypeScript', (text) => [process.execPath, '-e', text]],
    ['Python', (text) => ['python3', '-c', text]],
  ]
  for (const [language, command] of runs) {
    await card.getByRole('tab', { name: language }).click()
    await card.getByRole('button', { name: 'Copy the snippet' }).click()
    await page.getByText('Copied the snippet').first().waitFor()
    const text = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(text).toContain('HEADGATE_TOKEN')
    expect(text).not.toContain(headgate.teamToken)
    const [program = '', ...rest] = command(text)
    if (!Bun.which(program)) continue
    const answer = await outputOf([program, ...rest])
    expect(answer.replaceAll('\\', '')).toContain('it\'s "new"')
  }
  await page.close()
})

async function outputOf(command: string[]): Promise<string> {
  const env = { ...process.env, HEADGATE_URL: headgate.url, HEADGATE_TOKEN: headgate.teamToken }
  const running = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, faults] = [await new Response(running.stdout).text(), running.stderr]
  expect({ exit: await running.exited, faults: await new Response(faults).text() }).toMatchObject({
    exit: 0,
  })
  return out
}

test.skipIf(lacks)('nothing keeps anybody from reading it', async () => {
  const page = await reference('#createWebhook')
  await cardOf(page, 'createWebhook').getByRole('heading', { name: 'Try it' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await browser.context.clearCookies()
  await page.reload()
  await page.getByText('without being signed in').waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(browser.outside).toEqual([])
  await page.close()
})
