import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { faultsOf } from '../support/pages/axe.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signIn } from '../support/pages/signed-in-page.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../support/product/teams.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const TIERS = { tiny: { monthlyCu: 100, cuPerSecond: null } }

const lacks = lacksBrowser()
const node = startFakeNode('node-a')
let browser: TestBrowser
let headgate: TestHeadgate
let team: TestTeam
let newcomer: string
/** Everything that the browser refused to load or run; nothing of ours is among it. */
const blocked: string[] = []
let page: Page

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ nodes: [node], env: { HEADGATE_TIERS: JSON.stringify(TIERS) } })
  team = await newTeam(headgate, 'tiny')
  const made = { name: 'Newcomers', tier: 'free' }
  const { json } = await headgate.api('POST', '/api/teams', made, headgate.operatorToken)
  newcomer = json.data.token
  page = await browser.newPage()
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) blocked.push(message.text())
  })
  const call = () => headgate.post(rpc('eth_gasPrice'), { key: team.key })
  await until(async () => (await call()).status === 429, 'the month is used up')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  node.stop()
})

/** Each page, and a text that it has once what it shows has arrived. */
function pages(): [path: string, has: string | RegExp][] {
  return [
    ['/', 'No webhooks yet'],
    ['/?range=1h', 'Needs attention'],
    ['/apps', 'An app'],
    ['/apps?create=1', 'More can be added later'],
    [`/apps/${team.appId}`, 'eth_gasPrice'],
    [`/apps/${team.appId}?errors=1&form=host&snippet=viem`, 'createPublicClient'],
    ['/settings', 'Undelivered results'],
    ['/settings/billing', 'What to do'],
    ['/settings/tokens', 'yours'],
    ['/settings/jwt-keys', 'No keys are registered'],
    ['/settings/sessions', 'this one'],
    ['/settings/nothing', 'There is no such page'],
    ['/apps/app_none', 'There is no such app'],
  ]
}

/** The faults of a page once it has what it shows. */
async function faultsAt(path: string, has: string | RegExp): Promise<string[]> {
  await page.goto(`${headgate.url}${path}`)
  await page.getByText(has).first().waitFor()
  return faultsOf(page)
}

describe.skipIf(lacks)('by day and by night, on a desk and in a hand', () => {
  test('the door has no faults', async () => {
    await browser.context.clearCookies()
    expect(await faultsAt('/sign-in', 'Open the gate')).toEqual([])
    await page.getByLabel('Team token').fill('x'.repeat(32))
    await page.keyboard.press('Enter')
    await page.getByText('This token opens nothing.').waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  test('the pages of a team have no faults', async () => {
    await browser.context.clearCookies()
    await signIn(page, headgate.url, team.token)
    const faults: Record<string, string[]> = {}
    for (const [path, has] of pages()) {
      const found = await faultsAt(path, has)
      if (found.length > 0) faults[path] = found
    }
    expect(faults).toEqual({})
    await page.goto(`${headgate.url}/apps/${team.appId}`)
    for (const name of ['Rotate key', 'Edit', 'Delete An app']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  test('the pages of a new team have no faults', async () => {
    await browser.context.clearCookies()
    await signIn(page, headgate.url, newcomer)
    expect(await faultsAt('/', 'No apps yet')).toEqual([])
    expect(await faultsAt('/apps', 'No apps yet')).toEqual([])
  })

  test('dialogs and the operator’s pages have no faults', async () => {
    await browser.context.clearCookies()
    await signIn(page, headgate.url, headgate.operatorToken)
    expect(await faultsAt('/settings/teams', 'On tiny')).toEqual([])
    await page.getByRole('button', { name: 'New team' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await faultsAt('/settings/sessions', 'this one')).toEqual([])
    expect([browser.outside, blocked]).toEqual([[], []])
  })
})
