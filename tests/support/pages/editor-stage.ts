import { expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { startWebhookReceiver, type WebhookReceiver } from '../deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../devnet/devnet-chain.ts'
import { type Answer, startHeadgate, type TestHeadgate } from '../product/headgate.ts'
import { newTeam, type TestTeam } from '../product/teams.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { signIn } from './signed-in-page.ts'

/** The whole product on its embedded chain, a receiver, and a team's page in a browser. */
export type EditorStage = {
  headgate: TestHeadgate
  chain: DevnetChain
  receiver: WebhookReceiver
  browser: TestBrowser
  page: Page
  team: TestTeam
  /** Reports of the pages' policy, and scripts that failed. */
  faults: string[]
  api(method: string, path: string, body?: unknown): Promise<Answer>
  open(path: string): Promise<void>
  /** Puts a text in the place of the query, key by key. */
  write(query: string): Promise<void>
  editor(): Locator
  close(): Promise<void>
}

/** So long that every block is made on command. */
const ENV = { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' }

export async function openEditorStage(
  options: { width?: number; theme?: 'light' | 'dark' } = {},
): Promise<EditorStage> {
  // The browser first: opening it builds the pages that the service then reads.
  const browser = await openBrowser({ height: 1000, ...options })
  const headgate = await startHeadgate({ env: ENV })
  const team = await newTeam(headgate, 'growth')
  const chain = devnetChain(headgate)
  await chain.untilFollowed()
  const receiver = startWebhookReceiver()
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text())
  })
  await signIn(page, headgate.url, team.token)
  const editor = () => page.getByRole('textbox', { name: 'GraphQL query' })
  return {
    headgate,
    chain,
    receiver,
    browser,
    page,
    team,
    faults,
    api: (method, path, body) => headgate.api(method, path, body, team.token),
    open: async (path) => void (await page.goto(`${headgate.url}${path}`)),
    async write(query) {
      await editor().click()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(query)
      // What the editor offers while one writes is in nobody's way.
      await page.keyboard.press('Escape')
    },
    editor,
    async close() {
      await browser.close()
      await headgate.stop()
      await receiver.stop()
      expect(browser.outside).toEqual([])
    },
  }
}
