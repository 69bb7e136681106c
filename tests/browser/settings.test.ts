import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { lacksBrowser, openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { signedInPage, signIn } from '../support/pages/signed-in-page.ts'
import { newSigner } from '../support/product/access-tokens.ts'
import { startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../support/product/teams.ts'

/** Opening a browser takes a busy machine a while. */
setDefaultTimeout(180_000)

const lacks = lacksBrowser()
const node = startFakeNode('node-a')
let browser: TestBrowser
let headgate: TestHeadgate
let team: TestTeam

beforeAll(async () => {
  if (lacks) return
  browser = await openBrowser()
  headgate = await startHeadgate({ nodes: [node] })
  team = await newTeam(headgate, 'free')
})

afterAll(async () => {
  await browser?.close()
  await headgate?.stop()
  node.stop()
})

function open(path: string, token = team.token): Promise<Page> {
  return signedInPage(browser, headgate.url, token, path)
}

/** The status of a management call with a token. */
async function statusOf(token: string): Promise<number> {
  return (await headgate.api('GET', '/api/team', undefined, token)).status
}

test.skipIf(lacks)('a team sees its plan and what each limit is', async () => {
  const page = await open('/settings')
  await page.getByText('30,000,000', { exact: true }).waitFor()
  await page.getByText('64 MiB').waitFor()
  await page.getByText('0 of 100').waitFor()
  expect(await page.getByRole('link', { name: 'Teams' }).count()).toBe(0)
  await page.goto(`${headgate.url}/settings/teams`)
  await page.getByText('the page is for the operator only').waitFor()
  await page.close()
})

test.skipIf(lacks)('a token is made, shown once, used and revoked', async () => {
  const page = await open('/settings/tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('ci')
  await page.getByRole('button', { name: 'Make token' }).click()
  await page.getByText('It is shown only now.').waitFor()
  await page.getByRole('button', { name: 'Copy token' }).click()
  await page.locator('#toasts').getByText('Copied the token').waitFor()
  const token: string = await page.evaluate('navigator.clipboard.readText()')
  expect(await statusOf(token)).toBe(200)

  await page.getByRole('button', { name: 'Done' }).click()
  const revoke = page.getByRole('button', { name: 'Revoke ci' })
  await revoke.waitFor()
  expect(await page.content()).not.toContain(token)
  await revoke.click()
  await page.getByLabel('Type ci to confirm').fill('ci')
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await revoke.waitFor({ state: 'detached' })
  expect(await statusOf(token)).toBe(401)
  await page.close()
})

test.skipIf(lacks)('a key for signed tokens is registered, and revoked', async () => {
  const page = await open('/settings/jwt-keys')
  await page.getByText('No keys are registered').waitFor()
  await page.getByRole('button', { name: 'Register key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Register a JWT key' })
  await dialog.getByLabel('Name').fill('shop-front')
  const { publicKey, privateKey } = newSigner('ES256')
  const secret = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  await dialog.getByLabel('Public key').fill(secret)
  await dialog.getByRole('button', { name: 'Register key' }).click()
  await dialog.getByRole('alert').getByText('is a private key').waitFor()
  await dialog.getByLabel('Public key').fill(publicKey)
  await dialog.getByRole('button', { name: 'Register key' }).click()
  await page.locator('#toasts').getByText('shop-front is registered as jwk_').waitFor()
  const row = page.locator('main li').filter({ hasText: 'shop-front' })
  await row.getByText('ES256').waitFor()
  await row.getByRole('button', { name: 'Revoke shop-front' }).click()
  await page.getByLabel('Type shop-front to confirm').fill('shop-front')
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No keys are registered').waitFor()
  await page.close()
})

test.skipIf(lacks)('the token of this very session cannot be revoked here', async () => {
  const page = await open('/settings/tokens')
  const own = page.locator('main li').filter({ hasText: 'yours' })
  expect(await own.getByRole('button', { name: /Revoke/ }).isDisabled()).toBe(true)
  await page.close()
})

test.skipIf(lacks)(
  'other sessions are ended, and their browsers ask to sign in again',
  async () => {
    const page = await open('/settings/sessions')
    // Cookies belong to a host name, so that under another the same browser is somebody else.
    const elsewhere = headgate.url.replace('localhost', '127.0.0.1')
    const theirs = await browser.newPage()
    await signIn(theirs, elsewhere, team.token, '/apps')
    await theirs.getByRole('heading', { name: 'Apps', level: 1 }).waitFor()

    await page.reload()
    await page.locator('main li').filter({ hasText: 'this one' }).waitFor()
    const others = page.locator('main li').filter({ hasNotText: 'this one' })
    for (let left = await others.count(); left > 0; left--) {
      await others.first().getByRole('button').click()
      await others.nth(left - 1).waitFor({ state: 'detached' })
    }
    await page.locator('#toasts').getByText('is signed out').first().waitFor()

    await theirs.keyboard.press('g')
    await theirs.keyboard.press('s')
    await theirs.waitForURL(`${elsewhere}/sign-in?then=%2Fsettings`)
    await page.reload()
    await page.locator('main li').filter({ hasText: 'this one' }).waitFor()
    await theirs.close()
    await page.close()
  },
)

test.skipIf(lacks)('signing out in the list leads to the door', async () => {
  const page = await open('/settings/sessions')
  const own = page.locator('main li').filter({ hasText: 'this one' })
  await own.getByRole('button', { name: /Sign out/ }).click()
  await page.waitForURL(/\/sign-in/)
  await page.close()
})

test.skipIf(lacks)('the operator makes a team, and the team signs in with its token', async () => {
  const page = await open('/settings/teams', headgate.operatorToken)
  await page.getByRole('button', { name: 'New team' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Payments')
  await page.getByLabel('Tier', { exact: true }).selectOption('growth')
  await page.getByRole('button', { name: 'Make team' }).click()
  await page.getByRole('button', { name: 'Reveal the token' }).click()
  const token = (await page.locator('.keyrow code').textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByLabel('Tier of Payments').waitFor()
  await page.close()

  const theirs = await open('/apps', token)
  await theirs.getByText('No apps yet').waitFor()
  await theirs.getByRole('link', { name: 'Payments' }).waitFor()
  await theirs.close()
})

test.skipIf(lacks)('the operator sees a team as the team does, and its own sessions', async () => {
  const page = await open('/settings/sessions', headgate.operatorToken)
  await page.getByText('this one').waitFor()
  await page.getByRole('button', { name: 'This team’s' }).click()
  await page.getByText('this one').waitFor({ state: 'detached' })
  await page.goto(`${headgate.url}/settings/teams`)
  await page.getByRole('button', { name: 'View On free' }).click()
  await page.waitForURL(`${headgate.url}/`)
  await page.goto(`${headgate.url}/apps`)
  await page.getByRole('link', { name: 'An app' }).waitFor()
  expect(browser.outside).toEqual([])
  await page.close()
})
