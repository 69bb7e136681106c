import type { Page } from 'playwright-core'
import { startWebhookReceiver, type WebhookReceiver } from '../deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate } from '../product/headgate.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { openPage } from './page.ts'

export type MadeWebhook = { id: string; name: string; signing_key: string }

/** The whole product on its embedded chain, a receiver, and a browser that is signed in. */
export type DashboardStage = {
  headgate: TestHeadgate
  chain: DevnetChain
  receiver: WebhookReceiver
  browser: TestBrowser
  /** Makes a webhook whose deliveries go to a path of the receiver. */
  webhook(name: string, path: string, more?: object): Promise<MadeWebhook>
  /** Another page, at a place of the dashboard. */
  open(path: string): Promise<Page>
  close(): Promise<void>
}

type Options = { env?: Record<string, string>; width?: number; theme?: 'light' | 'dark' }

/** Blocks are mined when a test says so, and an attempt has all the time of a busy machine. */
const ENV = {
  HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
  HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '100,3600000,3600000,3600000,3600000,3600000',
}

export const BLOCK_QUERY = '{ block { number hash } }'

export async function openDashboardStage(options: Options = {}): Promise<DashboardStage> {
  const receiver = startWebhookReceiver()
  const headgate = await startHeadgate({ env: { ...ENV, ...options.env } })
  const chain = devnetChain(headgate)
  await chain.untilFollowed()
  const browser = await signedInBrowser(headgate, options)
  return {
    headgate,
    chain,
    receiver,
    browser,
    async webhook(name, path, more = {}) {
      const { status, json, text } = await headgate.api('POST', '/api/create-webhook', {
        network: 'ETH_DEVNET',
        webhook_type: 'GRAPHQL',
        webhook_url: `${receiver.url}${path}`,
        graphql_query: { query: BLOCK_QUERY },
        name,
        ...more,
      })
      if (status !== 200) throw new Error(text)
      return json.data
    },
    async open(path) {
      const page = await browser.newPage()
      await page.goto(`${headgate.url}${path}`)
      return page
    },
    async close() {
      await browser.close()
      await headgate.stop()
      await receiver.stop()
    },
  }
}

/** A browser with a session of the team, as if somebody had signed in. */
export async function signedInBrowser(
  { url, teamToken }: Pick<TestHeadgate, 'url' | 'teamToken'>,
  { width = 1440, theme = 'light' }: Options = {},
): Promise<TestBrowser> {
  const browser = await openBrowser({ width, theme })
  const { secret } = await openPage(url, { token: teamToken })
  await browser.context.addCookies([{ name: 'headgate_session', value: secret, url }])
  return browser
}
