import type { Page } from 'playwright-core'
import type { TestBrowser } from './browser.ts'
import { openPage } from './page.ts'

/** A page of the dashboard of somebody who is signed in with a team's token. */
export async function dashboardPage(
  browser: TestBrowser,
  { url, teamToken }: { url: string; teamToken: string },
  path: string,
): Promise<Page> {
  const { secret } = await openPage(url, { token: teamToken })
  await browser.context.clearCookies()
  await browser.context.addCookies([{ name: 'headgate_session', value: secret, url }])
  const page = await browser.newPage()
  await page.goto(url + path)
  return page
}
