import type { Page } from 'playwright-core'
import type { TestBrowser } from './browser.ts'

/** Signs a page in with a token, as a person does, and waits until it is where it wanted to be. */
export async function signIn(page: Page, url: string, token: string, then = '/'): Promise<void> {
  await page.goto(`${url}/sign-in?then=${encodeURIComponent(then)}`)
  await page.getByLabel('Team token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}${then}`)
}

/** A page that is signed in; whoever was before is forgotten. */
export async function signedInPage(
  browser: TestBrowser,
  url: string,
  token: string,
  then = '/',
): Promise<Page> {
  await browser.context.clearCookies()
  const page = await browser.newPage()
  await signIn(page, url, token, then)
  return page
}
