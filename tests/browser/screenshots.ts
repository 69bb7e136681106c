import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser, type TestBrowser } from '../support/pages/browser.ts'
import { type PictureData, pictureData } from '../support/pages/picture-data.ts'
import { signIn } from '../support/pages/signed-in-page.ts'
import { startHeadgate } from '../support/product/headgate.ts'

/**
 * Saves a picture of every page, light and dark, narrow and wide, of local development with data
 * that was made through its API:
 *   npm run screenshots -- <folder> [--width=1280] [--theme=light] [<name of a page> …]
 */

type Shot = { name: string; path: string; isGuest?: true; isCut?: true }

/** The outline of what is on its way is gone by then, or stays in the picture. */
const SETTLE_MS_MAX = 8000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', multiple: true, default: ['1440', '390'] },
    height: { type: 'string', default: '900' },
    theme: { type: 'string', multiple: true, default: ['light', 'dark'] },
  },
})
const height = Number(values.height)
const [folder, ...only] = positionals
if (!folder) {
  console.error('usage: npm run screenshots -- <folder> [--width=…] [--theme=…] [<page> …]')
  process.exit(2)
}
mkdirSync(folder, { recursive: true })
// The browser comes first: it has the pages built, which the service reads when it starts.
const browser = await openBrowser({ height })
const headgate = await startHeadgate({
  env: {
    HEADGATE_DEVNET_BLOCK_TIME_MS: '2000',
    HEADGATE_DEVNET_TRANSACTIONS_PER_BLOCK: '6',
  },
})
try {
  const made = await pictureData(headgate)
  const shots = shotsOf(made).filter(({ name }) => only.length === 0 || only.includes(name))
  for (const shot of shots) await takeAll(browser, shot)
} finally {
  await browser.close()
  await headgate.stop()
}

function shotsOf({ appId, webhookId, failingId, deliveryId }: PictureData): Shot[] {
  return [
    { name: 'sign-in', path: '/sign-in', isGuest: true },
    { name: 'reference-guest', path: '/docs/reference#listApps', isGuest: true, isCut: true },
    { name: 'overview', path: '/' },
    { name: 'apps', path: '/apps' },
    { name: 'apps-create', path: '/apps?create=1', isCut: true },
    { name: 'app', path: `/apps/${appId}` },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'variables', path: '/webhooks?variables=1', isCut: true },
    { name: 'webhook', path: `/webhooks/${webhookId}` },
    { name: 'webhook-drawer', path: `/webhooks/${webhookId}?delivery=${deliveryId}`, isCut: true },
    { name: 'webhook-failing', path: `/webhooks/${failingId}` },
    { name: 'webhook-replay', path: `/webhooks/${webhookId}?tab=replay` },
    { name: 'webhook-key', path: `/webhooks/${webhookId}?tab=key` },
    { name: 'webhook-query', path: `/webhooks/${webhookId}?tab=query` },
    { name: 'webhook-new', path: '/webhooks/new' },
    { name: 'webhook-edit', path: `/edit/${webhookId}` },
    { name: 'usage', path: '/usage' },
    { name: 'networks', path: '/networks' },
    { name: 'devnet', path: '/devnet', isCut: true },
    { name: 'settings', path: '/settings' },
    { name: 'settings-billing', path: '/settings/billing' },
    { name: 'settings-tokens', path: '/settings/tokens' },
    { name: 'settings-jwt-keys', path: '/settings/jwt-keys' },
    { name: 'settings-sessions', path: '/settings/sessions' },
    { name: 'reference', path: '/docs/reference', isCut: true },
    { name: 'reference-call', path: '/docs/reference#createWebhook', isCut: true },
    { name: 'no-such-page', path: '/settings/nowhere' },
  ]
}

async function takeAll(browser: TestBrowser, shot: Shot): Promise<void> {
  const page = await openShot(browser, shot)
  for (const theme of values.theme) {
    const colorScheme = theme === 'dark' ? 'dark' : 'light'
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of values.width) {
      await page.setViewportSize({ width: Number(width), height })
      await settle(page, shot.name)
      const path = join(folder ?? '', `${shot.name}-${width}-${theme}.png`)
      await page.screenshot({ path, fullPage: !shot.isCut })
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(wide) > 0) console.error(`${shot.name} scrolls sideways at ${width}`)
    }
  }
  await page.close()
}

/** Guests come first; from then on all pages are of one session. */
async function openShot(browser: TestBrowser, { path, isGuest }: Shot): Promise<Page> {
  const page = await browser.newPage()
  const isSignedIn = (await browser.context.cookies()).length > 0
  if (!isGuest && !isSignedIn) await signIn(page, headgate.url, headgate.teamToken)
  await page.goto(headgate.url + path)
  return page
}

async function settle(page: Page, name: string): Promise<void> {
  await page.locator('h1').first().waitFor()
  const isWhole = "!document.querySelector('main .sk')"
  await page.waitForFunction(isWhole, undefined, { timeout: SETTLE_MS_MAX }).catch(() => {
    console.error(`${name} still waits for something`)
  })
}
