import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findBrowser } from './browser-files.ts'

const BUILD_SCRIPT = fileURLToPath(new URL('../../../scripts/build-dashboard.ts', import.meta.url))

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium with a profile of its own. */
export type TestBrowser = {
  context: BrowserContext
  newPage(): Promise<Page>
  /** Requests that went anywhere but to this machine; there must be none. */
  outside: string[]
  close(): Promise<void>
}

type Options = { width?: number; height?: number; theme?: 'light' | 'dark' }

/** True where no browser can be had, which CI does not take for an excuse. */
export function lacksBrowser(): boolean {
  const isLacking = findBrowser() === null
  if (isLacking && process.env.CI) throw new Error('there is no browser to test with')
  return isLacking
}

export async function openBrowser(options: Options = {}): Promise<TestBrowser> {
  const built = Bun.spawnSync([process.execPath, BUILD_SCRIPT, '--if-stale'], { stderr: 'inherit' })
  if (!built.success) throw new Error('the dashboard cannot be built')
  const { width = 1440, height = 900, theme = 'light' } = options
  const profile = mkdtempSync(join(tmpdir(), 'headgate-browser-'))
  const browser = findBrowser()
  if (browser === null) throw new Error('there is no browser')
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.path,
    env: { ...process.env, ...browser.environment },
    args: FLAGS,
    viewport: { width, height },
    colorScheme: theme,
    // Nothing that moves is looked at, and drawing it is half the work of a page.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const outside: string[] = []
  context.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    const isHere = ['127.0.0.1', 'localhost'].includes(hostname)
    if (!isHere && protocol !== 'data:' && protocol !== 'blob:') outside.push(request.url())
  })
  return {
    context,
    newPage: () => context.newPage(),
    outside,
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
