import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser } from '../support/pages/browser.ts'
import { type EditorStage, openEditorStage } from '../support/pages/editor-stage.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const FIRST_LOAD_BYTES_MAX = 300_000

const WRONG = `query ($wallets: [Address!]) {
block {
logs(filter: {addresses: $wallets}) { data topcs }
}
}`

const lacks = lacksBrowser()
let on: EditorStage

beforeAll(async () => {
  if (lacks) return
  on = await openEditorStage()
  const items = Array.from({ length: 130 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
  await on.api('POST', '/api/graphql/variables/wallets', { items })
})

afterAll(() => on?.close())

afterEach(() => {
  if (!lacks) expect(on.faults.splice(0)).toEqual([])
})

async function isSound(): Promise<void> {
  expect(await faultsOf(on.page)).toEqual([])
}

describe.skipIf(lacks)('by day and by night, on a desk and in a hand', () => {
  test('the editor is sound, with an error, a result and an estimate', async () => {
    const { page } = on
    await on.open('/webhooks/new')
    await page.getByText('Compiles').waitFor()
    await isSound()
    await page.getByRole('button', { name: 'Run' }).first().click()
    await page.getByText('A month, skipping empty blocks').waitFor()
    await on.write(WRONG)
    await page.locator('.query-editor .lint').waitFor()
    await isSound()
  })

  test('templates are sound', async () => {
    await on.open('/webhooks/new?templates=1')
    await on.page.getByRole('button', { name: 'Heartbeat' }).waitFor()
    await isSound()
  })

  test('variables are sound', async () => {
    await on.open('/webhooks?variables=1')
    await on.page.getByRole('button', { name: '$wallets' }).waitFor()
    await on.page.getByText('New variable').click()
    await isSound()
    await on.page.getByRole('button', { name: '$wallets' }).click()
    await on.page.getByText('130 in all').waitFor()
    await isSound()
  })
})

test.skipIf(lacks)('only the editor loads the editor, and all of it is small', async () => {
  const { page } = on
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const ofEditor = () => asked.filter((name) => name.includes('query-editor'))
  await on.open('/webhooks')
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(ofEditor()).toEqual([])

  let bytes = 0
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await on.open('/webhooks/new')
  await page.getByText('Compiles').waitFor()
  expect(ofEditor()).toHaveLength(1)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX)
})
