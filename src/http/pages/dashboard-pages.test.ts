import { expect, test } from 'bun:test'
import { dashboardPages } from './dashboard-pages.ts'

const BUNDLE = JSON.stringify({
  '/': { type: 'text/html; charset=utf-8', text: '<!doctype html>' },
  '/assets/main-1a2b.js': { type: 'text/javascript; charset=utf-8', text: 'start()' },
})

async function read(path: string, bundle: string | null = BUNDLE) {
  const page = dashboardPages(bundle).get(path)
  const response = await page?.(new Headers())
  return { text: await response?.text(), headers: response?.headers }
}

test.each(['/', '/sign-in', '/apps/*', '/webhooks', '/settings/*', '/docs/reference'])(
  '%s is the page, which is asked for anew each time',
  async (path) => {
    const { text, headers } = await read(path)
    expect(text).toBe('<!doctype html>')
    expect(headers?.get('cache-control')).toBe('no-cache')
  },
)

test('files are named by their content, so browsers keep them', async () => {
  const { text, headers } = await read('/assets/main-1a2b.js')
  expect(text).toBe('start()')
  expect(headers?.get('cache-control')).toContain('immutable')
})

test('no script or style but our own files may run, and nobody may frame a page', async () => {
  const policy = (await read('/')).headers?.get('content-security-policy') ?? ''
  expect(policy).toContain("script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain("frame-ancestors 'none'")
})

test('a dashboard that was not built says how it is', async () => {
  expect((await read('/', null)).text).toContain('npm run build:dashboard')
})
