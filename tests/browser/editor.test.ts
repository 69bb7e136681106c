import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import { lacksBrowser } from '../support/pages/browser.ts'
import { type EditorStage, openEditorStage } from '../support/pages/editor-stage.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const WRONG =
  'query ($wallets: [Address!]) { block { number transactions(filter: {addresses: [{to: $wallets}]}) ' +
  '{ hash gasUsd } } }'
const MARKUP = '<img src=x onerror="window.planted=1"><b>bold</b>'
const BLOCK_QUERY = '{ block { number hash } }'

const lacks = lacksBrowser()
let on: EditorStage

beforeAll(async () => {
  if (!lacks) on = await openEditorStage()
})

afterAll(() => on?.close())

afterEach(() => {
  if (!lacks) expect(on.faults.splice(0)).toEqual([])
})

test.skipIf(lacks)('from a mistake in a query to a delivery that is sent again', async () => {
  const { page } = on
  await on.open('/webhooks/new')
  await page.getByRole('heading', { name: 'New webhook', level: 1 }).waitFor()
  await page.getByLabel('Name').fill('Payments')

  await on.write(WRONG)
  const box = page.locator('.query-editor')
  await box.locator('.squig', { hasText: 'gasUsd' }).waitFor()
  const message = box.locator('.lint')
  const words =
    'Cannot query field "gasUsd" on type "Transaction". Did you mean "gasUsed" or "gas"?'
  expect(await message.locator('span').first().textContent()).toBe(words)
  expect(await message.locator('.at').textContent()).toBe(`1:${WRONG.indexOf('gasUsd') + 1}`)
  await page.getByText('Fix 1 problem to create it').waitFor()
  const create = page.getByRole('button', { name: 'Create webhook' })
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  expect(await create.getAttribute('title')).toBe('The query has a problem on line 1')
  await create.click({ force: true })
  expect(page.url()).toEndWith('/webhooks/new')

  await message.getByRole('button', { name: 'Use gasUsed' }).click()
  await page.getByText('Compiles').waitFor()
  await box.locator('.squig').waitFor({ state: 'detached' })

  await page.getByText('no items yet, so it matches nothing').waitFor()
  await page.getByLabel('Add items to $wallets').fill(`${BOB}\nvitalik.eth`)
  await page.getByText('1 address, 1 not understood: vitalik.eth').waitFor()
  await page.getByRole('button', { name: 'Add 1 item' }).click()
  await page.getByText('Added 1 item to $wallets').waitFor()
  await page.locator('.varrow').getByText('1 item').waitFor()

  const hash = await on.chain.send({ to: BOB, value: '0x7' })
  await on.editor().click()
  await page.keyboard.press('Control+Enter')
  const pane = page.getByRole('region', { name: 'Dry run' })
  await pane.locator('.rescost').getByText('1 transaction').waitFor()
  await pane.getByText(`"${hash.slice(0, 10)}…${hash.slice(-8)}"`).waitFor()
  await pane.getByText('A month, skipping empty blocks').waitFor()
  await pane.getByText('% of the plan’s 300 M').waitFor()
  await pane.getByRole('button', { name: 'Copy the whole result' }).click()
  const copied: string = await page.evaluate('navigator.clipboard.readText()')
  expect(JSON.parse(copied).block.transactions).toEqual([{ hash, gasUsed: 21_000 }])

  await create.click()
  await page.getByText('Where should deliveries go?').first().waitFor()
  await page.getByLabel('URL').fill('ftp://receiver.example/hook')
  await create.click()
  await page.locator('[data-field=url] .hint.bad').waitFor()
  expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
  await page.getByRole('button', { name: '/inbox/demo' }).click()
  expect(await page.getByLabel('URL').inputValue()).toEndWith('/inbox/demo')
  await page.getByLabel('URL').fill(`${on.receiver.url}/payments`)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText(/^Answered 200 in/).waitFor()
  expect(on.receiver.acceptedOn('/payments')).toHaveLength(1)

  await create.click()
  await page.waitForURL(/\/webhooks\/wh_[a-z0-9]{16}$/)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await on.chain.send({ to: BOB, value: '0x8' })
  const row = page.locator('tr[data-delivery]')
  await row.getByText('Delivered').waitFor()
  expect(await row.count()).toBe(1)
  await row.click()
  const drawer = page.getByRole('complementary', { name: 'Delivery' })
  await drawer.getByText(/^200$/).waitFor()
  await drawer.getByRole('button', { name: /^Resend/ }).click()
  await until(() => on.receiver.acceptedOn('/payments').length === 3, 'it comes again')
  const [, first, again] = on.receiver.acceptedOn('/payments')
  expect(again?.body).toBe(first?.body ?? '')
})

test.skipIf(lacks)('the last good result stays, and says what it is of', async () => {
  const { page } = on
  await on.open('/webhooks/new')
  await on.write(BLOCK_QUERY)
  await page.getByText('Compiles').waitFor()
  const pane = page.getByRole('region', { name: 'Dry run' })
  await pane.getByRole('button', { name: 'Run' }).click()
  await pane.locator('.rescost').getByText('The block').waitFor()
  await page.keyboard.press('Tab')
  await on.editor().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' oops')
  await pane.getByText('this is the result of the last good version').waitFor()
  expect(await pane.getByRole('button', { name: 'Run' }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Control+z')
  await page.getByText('Compiles').waitFor()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# mine\n')
  await pane.getByText('The query has changed since this result').waitFor()
})

test.skipIf(lacks)(
  'the latest block is followed, another chosen by number, and an empty one explained',
  async () => {
    const { page } = on
    await on.open('/webhooks/new')
    const block = page.getByLabel('Block number or hash')
    await on.chain.mine()
    const { number } = await on.chain.head()
    await until(async () => (await block.inputValue()) === String(number), 'the head is shown')
    await on.chain.mine()
    const next = String(number + 1)
    await until(async () => (await block.inputValue()) === next, 'the block follows the head')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await block.fill('zero')
    await page.getByText('A block is a number, decimal or 0x, or a hash of 32 bytes.').waitFor()
    await block.fill('0')
    await page.getByRole('button', { name: 'Run', exact: false }).first().click()
    await page.getByText('Empty: nothing in this block matches.').waitFor()
    expect(page.url()).toContain('block=0')
    await block.fill('99999999')
    await page.getByRole('button', { name: 'Run' }).first().click()
    await page.getByRole('alert').filter({ hasText: '99999999' }).waitFor()
    await page.getByText('This is the result of the last run that worked').waitFor()
  },
)

test.skipIf(lacks)('a template is chosen, its long hex folded, and copied whole', async () => {
  const { page } = on
  await on.open('/webhooks/new')
  await page.getByRole('button', { name: 'Start from a template' }).click()
  const dialog = page.getByRole('dialog', { name: 'Start from a template' })
  await dialog.getByRole('button', { name: 'Heartbeat' }).waitFor()
  expect(await dialog.locator('.tcard').count()).toBe(21)
  await dialog.getByRole('button', { name: 'Proxy upgrades' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Compiles').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Proxy upgrades')
  const topic = '0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b'
  expect(await on.editor().textContent()).toContain('"0xbc7cd75a…2e5c2d3b"')
  expect(await on.editor().textContent()).not.toContain(topic)
  await on.editor().click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`"${topic}"`)
  await page.locator('.query-editor .fold').first().click()
  expect(await on.editor().textContent()).toContain(topic)
})

test.skipIf(lacks)(
  'the editor completes, tells about fields, formats, and is left by keys',
  async () => {
    const { page } = on
    await on.open('/webhooks/new')
    await on.write('{ block { transactions { } } }')
    for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('eff')
    const list = page.locator('.cm-tooltip-autocomplete')
    await page.getByText('What was really paid for each unit of gas').waitFor()
    // The editor takes a key right after the list has come for one that was not meant for it.
    await list.locator('.cm-completionLabel', { hasText: 'effectiveGasPrice' }).click()
    await page.getByText('Compiles').waitFor()
    await page.getByRole('button', { name: 'Format the query' }).click()
    await page
      .locator('.cm-line', { hasText: /^ {4}transactions \{ effectiveGasPrice \}$/ })
      .waitFor()
    await page.locator('.cm-line .f', { hasText: 'effectiveGasPrice' }).hover()
    await page.locator('.cm-tooltip-hover').getByText('effectiveGasPrice: BigInt').waitFor()

    await on.editor().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).not.toContain('query-editor')
  },
)

test.skipIf(lacks)('markup in a query and a name is text', async () => {
  const { page } = on
  await on.open('/webhooks/new')
  await page.getByLabel('Name').fill(MARKUP)
  await on.write(`# ${MARKUP}\n{ block { number ${'x'.repeat(3)} } }`)
  await page.locator('.query-editor .lint').waitFor()
  expect(await on.editor().textContent()).toContain(MARKUP)
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.locator('b', { hasText: /^bold$/ }).count()).toBe(0)
  await on.write(`# ${MARKUP}\n${BLOCK_QUERY}`)
  await page.getByText('Compiles').waitFor()
  await page.getByLabel('URL').fill(`${on.receiver.url}/markup`)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.waitForURL(/\/webhooks\/wh_/)
  await on.open(page.url().replace(/^.*\/webhooks\//, '/edit/'))
  await page.getByRole('heading', { name: `Edit ${MARKUP}`, level: 1 }).waitFor()
  await on.editor().waitFor()
  expect(await page.evaluate('window.planted')).toBeUndefined()
})

test.skipIf(lacks)(
  'changes are asked about before they are lost, and saved when wanted',
  async () => {
    const { page } = on
    const made = await on.api('POST', '/api/create-webhook', {
      network: 'ETH_DEVNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${on.receiver.url}/kept`,
      graphql_query: { query: BLOCK_QUERY, skip_empty_messages: false },
      name: 'Kept',
    })
    const { id } = made.json.data
    await on.open(`/edit/${id}`)
    await page.getByText('Nothing has changed').first().waitFor()
    await page.getByRole('region', { name: 'Dry run' }).getByText('The block').waitFor()
    await page.getByLabel('Name').fill('Changed')
    await page.getByText('Changes are not saved yet').waitFor()
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('link', { name: 'Cancel' }).click()
    expect(page.url()).toEndWith(`/edit/${id}`)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(`**/webhooks/${id}`)

    await on.open(`/edit/${id}`)
    await page.getByLabel('Name').fill('Changed')
    await page.getByRole('switch', { name: /Strict order/ }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(`**/webhooks/${id}`)
    const { json } = await on.api('GET', '/api/team-webhooks')
    const saved = json.data.find((webhook: { id: string }) => webhook.id === id)
    expect([saved.name, saved.ordered, saved.graphql_query.query]).toEqual([
      'Changed',
      true,
      BLOCK_QUERY,
    ])
  },
)

test.skipIf(lacks)('a webhook that is not there says so', async () => {
  await on.open('/edit/wh_0000000000000000')
  await on.page.getByText('There is no such webhook').waitFor()
})
