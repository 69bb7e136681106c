import { expect, test } from 'bun:test'
import { docsPages } from './docs-pages.ts'

const FILES = {
  '/docs': { type: 'text/html; charset=utf-8', text: '<!doctype html>' },
  '/docs/assets/1a-a.png': { type: 'image/png', text: 'iVBO', base64: true },
}

const BUNDLE = `${JSON.stringify(Object.keys(FILES))}\n${JSON.stringify(FILES)}`

test('all paths are known at once, and a page when it is asked for', async () => {
  const pages = docsPages(() => BUNDLE)
  expect([...pages.keys()]).toEqual(Object.keys(FILES))
  const page = await pages.get('/docs')?.(new Headers())
  expect(await page?.text()).toBe('<!doctype html>')
  expect(page?.headers.get('cache-control')).toBe('no-cache')
})

test('a page that a new bundle no longer has is not found', async () => {
  const bundles = [BUNDLE, '[]\n{}']
  const pages = docsPages(() => bundles.shift() ?? null)
  expect((await pages.get('/docs')?.(new Headers()))?.status).toBe(404)
})

test('a picture comes as its bytes, and is kept by browsers', async () => {
  const picture = await docsPages(() => BUNDLE).get('/docs/assets/1a-a.png')?.(new Headers())
  expect(await picture?.bytes()).toEqual(new Uint8Array([0x89, 0x50, 0x4e]))
  expect(picture?.headers.get('content-type')).toBe('image/png')
  expect(picture?.headers.get('cache-control')).toContain('immutable')
})

test('documentation that was not built says so', async () => {
  const page = await docsPages(() => null).get('/docs')?.(new Headers())
  expect(await page?.text()).toContain('npm run build:dashboard')
})
