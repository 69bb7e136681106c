import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  DEVNET_PLACE,
  isPublic,
  isWithin,
  MAIN_PLACES,
  OTHER_PLACES,
} from '../../dashboard/shell/routing/places.ts'
import { changeQuery, navigate } from '../../dashboard/shell/routing/router.ts'
import { routeOf } from '../../dashboard/shell/routing/routes.ts'

describe('the page of a path', () => {
  test.each([
    ['/', '/', {}],
    ['/webhooks/new', '/webhooks/new', {}],
    ['/webhooks/wh_1', '/webhooks/:id', { id: 'wh_1' }],
    ['/settings/jwt-keys', '/settings/:part', { part: 'jwt-keys' }],
    ['/apps/a%2Fb', '/apps/:id', { id: 'a/b' }],
  ])('%s', (path, pattern, params) => {
    expect(routeOf(path)).toMatchObject({ pattern, params })
  })

  test.each(['/nowhere', '/apps/', '/apps/a/b', '//', ''])('%p has none', (path) => {
    expect(routeOf(path)).toBeNull()
  })

  test('every place of the rail has one', () => {
    for (const { path } of [...MAIN_PLACES, DEVNET_PLACE, ...OTHER_PLACES]) {
      expect(routeOf(path)?.pattern).toBe(path)
    }
  })

  test('only the reference is open to everybody', () => {
    const paths = [...MAIN_PLACES, DEVNET_PLACE, ...OTHER_PLACES].map(({ path }) => path)
    expect(paths.filter(isPublic)).toEqual(['/docs/reference'])
  })
})

test.each([
  ['/', '/'],
  ['/apps/app_1', '/apps'],
  ['/webhooks/new', '/webhooks'],
  ['/edit/wh_1', '/webhooks'],
  ['/appsome', undefined],
])('%s is within %s', (path, place) => {
  expect(MAIN_PLACES.find((one) => isWithin(path, one))?.path).toBe(place as string)
})

describe('the address', () => {
  const before = { location: globalThis.location, history: globalThis.history }
  const went: string[] = []
  let href = ''

  beforeAll(() => {
    const go = (how: string) => (_state: null, _title: string, url: URL) => {
      href = url.href
      went.push(`${how} ${url.pathname}${url.search}${url.hash}`)
    }
    const history = { pushState: go('push'), replaceState: go('replace') }
    const location = {
      get href() {
        return href
      },
      get pathname() {
        return new URL(href).pathname
      },
      get search() {
        return new URL(href).search
      },
      get hash() {
        return new URL(href).hash
      },
    }
    Object.assign(globalThis, { history, location })
  })

  beforeEach(() => {
    href = 'https://headgate.test/apps?q=a&create=1#x'
    went.length = 0
  })

  afterAll(() => Object.assign(globalThis, before))

  test('changes by its members, and takes away those that are empty', () => {
    changeQuery({ q: 'b c', create: null })
    changeQuery({ q: '', state: 'paused' }, { replace: false })
    expect(went).toEqual(['replace /apps?q=b+c#x', 'push /apps?state=paused#x'])
  })

  test('is another place that can be come back from, unless it replaces this one', () => {
    navigate('/usage')
    navigate('/usage?by=app', { replace: true })
    expect(went).toEqual(['push /usage', 'replace /usage?by=app'])
  })
})
