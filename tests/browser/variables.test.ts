import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Locator, Route } from 'playwright-core'
import { lacksBrowser } from '../support/pages/browser.ts'
import { type EditorStage, openEditorStage } from '../support/pages/editor-stage.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const CALL_ITEMS_MAX = 10_000

const lacks = lacksBrowser()
let on: EditorStage
let dialog: Locator

beforeAll(async () => {
  if (lacks) return
  on = await openEditorStage()
  dialog = on.page.getByRole('dialog', { name: 'Variables' })
})

afterAll(() => on?.close())

afterEach(() => {
  if (!lacks) expect(on.faults.splice(0)).toEqual([])
})

function address(at: number): string {
  return `0x${at.toString(16).padStart(40, '0')}`
}

async function total(name: string): Promise<number> {
  const { json } = await on.api('GET', `/api/graphql/variables/${name}?limit=1`)
  return json.pagination?.total_count ?? -1
}

/** A file of lines with two columns and a heading. */
function csv(from: number, count: number) {
  const lines = Array.from({ length: count }, (_, at) => `${address(from + at)},wallet ${at}`)
  return {
    name: 'wallets.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`address,name\n${lines.join('\n')}\n`),
  }
}

/** Makes a variable through the API. */
async function fill(name: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, at) => address(at + 1))
  const { status } = await on.api('POST', `/api/graphql/variables/${name}`, { items })
  expect(status).toBe(201)
}

test.skipIf(lacks)('a variable is made of a long list that is pasted', async () => {
  const { page } = on
  await on.open('/webhooks?variables=1')
  await dialog.getByText('No variables yet').waitFor()
  await dialog.getByText('New variable').click()
  const add = dialog.getByRole('button', { name: /^Add/ })
  await dialog
    .getByLabel('Its first items')
    .fill(JSON.stringify(Array.from({ length: 12_000 }, (_, at) => address(at + 1))))
  await dialog.getByText('12,000 addresses').waitFor()
  expect(await add.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('1st')
  await dialog.getByText('no digit first').waitFor()
  await dialog.getByLabel('Name').fill('$pasted')
  await add.click()
  await dialog.getByText('12,000 in all').waitFor()
  expect(page.url()).toContain('variables=pasted')
  expect(await total('pasted')).toBe(12_000)
})

test.skipIf(lacks)('a file of 25,000 items is sent in calls of 10,000, with progress', async () => {
  const { page } = on
  await fill('uploaded', 1)
  const sizes: number[] = []
  const shown: string[] = []
  const watch = async (route: Route) => {
    sizes.push(JSON.parse(route.request().postData() ?? '{}').items.length)
    shown.push((await dialog.locator('.sending [role=status]').textContent()) ?? '')
    await route.continue()
  }
  await page.route('**/api/graphql/variables/uploaded', watch, { times: 3 })
  await on.open('/webhooks?variables=uploaded')
  await dialog.locator('input[type=file]').setInputFiles(csv(1, 25_000))
  await dialog.getByText('wallets.csv').waitFor()
  await dialog.getByRole('button', { name: 'Add the items of the file' }).click()
  const said = 'Added 24,999 items to $uploaded, 1 item was already there'
  await dialog.getByText(said).waitFor()
  expect(sizes).toEqual([CALL_ITEMS_MAX, CALL_ITEMS_MAX, 5_000])
  expect(shown.map((text) => /: ([\d,]+) items so far/.exec(text)?.[1])).toEqual([
    '0',
    '10,000',
    '20,000',
  ])
  expect(await total('uploaded')).toBe(25_000)
})

test.skipIf(lacks)('an upload can be stopped, and says what was done before', async () => {
  const { page } = on
  await fill('stopped', 1)
  const held = Promise.withResolvers<Route>()
  let calls = 0
  await page.route('**/api/graphql/variables/stopped', async (route) => {
    if (route.request().method() !== 'POST' || ++calls === 1) return route.continue()
    held.resolve(route)
  })
  await on.open('/webhooks?variables=stopped')
  await dialog.locator('input[type=file]').setInputFiles(csv(1, 25_000))
  await dialog.getByRole('button', { name: 'Add the items of the file' }).click()
  await held.promise
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await dialog.getByText('Stopped. 10,000 items had been added before.').waitFor()
  expect(await total('stopped')).toBe(10_000)
  await page.unroute('**/api/graphql/variables/stopped')
})

test.skipIf(lacks)('items are paged, found, taken away one by one and put back', async () => {
  const { page } = on
  await fill('paged', 120)
  await on.open('/webhooks?variables=paged')
  const items = dialog.getByRole('list', { name: 'Items of $paged' })
  await items.getByText(address(1), { exact: true }).waitFor()
  expect(await items.getByRole('listitem').count()).toBe(50)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await items.getByText(address(51), { exact: true }).waitFor()
  expect(page.url()).toContain('items_after=')
  await dialog.getByRole('button', { name: 'Previous' }).click()
  await items.getByText(address(1), { exact: true }).waitFor()
  await dialog.getByLabel('Begins with').fill(`0x${'0'.repeat(38)}64`)
  await dialog.getByRole('button', { name: 'Go' }).click()
  await items.getByText(address(0x64), { exact: true }).waitFor()
  expect(await items.getByRole('listitem').count()).toBe(120 - 0x64 + 1)

  await dialog.getByRole('button', { name: `Take ${address(0x65)} away` }).click()
  await dialog.getByText('119 in all').waitFor()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByText('120 in all').waitFor()
})

test.skipIf(lacks)(
  'a pasted list is taken away, and the variable deleted by its name',
  async () => {
    const { page } = on
    await fill('doomed', 3)
    await on.open('/webhooks?variables=1')
    await dialog.getByRole('button', { name: '$doomed' }).click()
    await dialog.getByLabel('Add to or take from $doomed').fill(`${address(1)}\n${address(9)}`)
    await dialog.getByRole('button', { name: 'Take away', exact: true }).click()
    const said = 'Took away 1 item from $doomed, 1 item was not there'
    await dialog.getByText(said).waitFor()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    const ask = page.getByRole('dialog', { name: 'Delete $doomed' })
    expect(await ask.getByRole('button', { name: 'Delete 2 items' }).isDisabled()).toBe(true)
    await ask.getByLabel('Type doomed to confirm').fill('doomed')
    await ask.getByRole('button', { name: 'Delete 2 items' }).click()
    await dialog.getByText('Lists that queries use by name.').waitFor()
    expect(await dialog.getByRole('button', { name: '$doomed' }).count()).toBe(0)
    expect(await total('doomed')).toBe(-1)
  },
)

test.skipIf(lacks)('a service that is busy is asked again', async () => {
  await fill('patient', 1)
  await on.page.route(
    '**/api/graphql/variables/patient',
    (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '0' },
        json: { name: 'TooManyRequests', message: 'Too many.' },
      }),
    { times: 1 },
  )
  await on.open('/webhooks?variables=1')
  await dialog.getByRole('button', { name: '$patient' }).waitFor()
  await dialog.getByRole('button', { name: '$patient' }).click()
  await dialog.getByLabel('Add to or take from $patient').fill(address(2))
  await dialog.getByRole('button', { name: 'Add 1 item' }).click()
  await dialog.getByText('Added 1 item to $patient').waitFor()
  expect(await total('patient')).toBe(2)
})

test.skipIf(lacks)('a refusal of the service is shown in its words', async () => {
  const items = [`0x${'ab'.repeat(32)}`]
  await on.api('POST', '/api/graphql/variables/words', { items })
  await on.page.route('**/api/graphql/variables/words', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 400,
          json: { name: 'ValidationError', message: 'items: a team may have 5 items.' },
        })
      : route.continue(),
  )
  await on.open('/webhooks?variables=words')
  await dialog.getByLabel('Add to or take from $words').fill(address(1))
  await dialog.getByText('1 address made 32 bytes long').waitFor()
  await dialog.getByRole('button', { name: 'Add 1 item' }).click()
  await dialog.getByText('items: a team may have 5 items.').waitFor()
})
