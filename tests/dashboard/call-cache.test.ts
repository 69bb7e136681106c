import { beforeEach, describe, expect, test } from 'bun:test'
import { keyOf, openCallCache } from '../../dashboard/api/call-cache.ts'

type Asked = {
  id: string
  parameters: object
  answer(data: unknown): Promise<void>
  refuse(error: unknown): Promise<void>
}

const KEPT_MAX = 3
const APPS = keyOf('listApps', {})

let asked: Asked[] = []
let cache: ReturnType<typeof openCallCache>
let told = 0
const watcher = () => {
  told++
}

beforeEach(() => {
  asked = []
  told = 0
  cache = openCallCache((id, parameters) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    asked.push({
      id,
      parameters,
      async answer(data) {
        resolve(data)
        await settled(promise)
      },
      async refuse(error) {
        reject(error)
        await settled(promise)
      },
    })
    return promise
  }, KEPT_MAX)
})

/** The cache has taken the answer one turn after it came. */
async function settled(answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => {})
  await Promise.resolve()
}

describe('the key of a call', () => {
  test('does not depend on the order of its parameters, nor on those that are absent', () => {
    expect(keyOf('listDeliveries', { limit: 1, block: 2, cursor: undefined })).toBe(
      keyOf('listDeliveries', { block: 2, limit: 1 }),
    )
    expect(keyOf('listDeliveries', { block: 2 })).not.toBe(keyOf('listDeliveries', { block: 3 }))
  })
})

describe('the cache of calls', () => {
  test('asks once for all who watch, and tells each of them', async () => {
    cache.watch(APPS, watcher)
    cache.watch(APPS, () => watcher())
    expect(asked.map(({ id, parameters }) => [id, parameters])).toEqual([['listApps', {}]])
    await asked[0]?.answer('apps')
    expect(cache.peek(APPS)).toMatchObject({ data: 'apps', isLoading: false, isStale: false })
    expect(told).toBe(2)
  })

  test('keeps the last answer while a newer one is under way, and when that fails', async () => {
    cache.watch(APPS, watcher)
    await asked[0]?.answer('old')
    cache.invalidate(['listApps'])
    expect(cache.peek(APPS)).toMatchObject({ data: 'old', isLoading: true })
    await asked[1]?.refuse(new Error('away'))
    expect(cache.peek(APPS)).toMatchObject({ data: 'old', isLoading: false, isStale: true })
    expect(cache.peek(APPS)?.error).toEqual(new Error('away'))
  })

  test('drops an answer that a later question has overtaken', async () => {
    cache.watch(APPS, watcher)
    void cache.load(APPS)
    await asked[1]?.answer('new')
    await asked[0]?.answer('old')
    expect(cache.peek(APPS)?.data).toBe('new')
  })

  test('reads anew what is watched, and the rest only once somebody looks at it', async () => {
    const stop = cache.watch(APPS, watcher)
    await asked[0]?.answer('apps')
    stop()
    cache.invalidate(['listApps', 'listTeams'])
    expect(asked).toHaveLength(1)
    cache.watch(APPS, watcher)
    expect(asked).toHaveLength(2)
  })

  test('changes answers of one call only, each with its parameters', async () => {
    const [one, two] = [keyOf('getApp', { id: 'a' }), keyOf('getApp', { id: 'b' })]
    for (const key of [one, two, APPS]) cache.watch(key, watcher)
    for (const each of asked) await each.answer(0)
    cache.patch('getApp', (_answer, parameters) => parameters)
    expect([one, two, APPS].map((key) => cache.peek(key)?.data)).toEqual([
      { id: 'a' },
      { id: 'b' },
      0,
    ])
  })

  test('forgets the answers of a team, and drops those that are on their way to it', async () => {
    cache.watch(APPS, watcher)
    cache.forget('another team')
    await asked[0]?.answer('of the other team')
    expect(cache.peek(APPS)?.data).toBeUndefined()
    await asked[1]?.answer('of this team')
    expect(cache.peek(APPS)?.data).toBe('of this team')
    cache.forget('nobody')
    expect(cache.peek(APPS)?.data).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  test('keeps the document of the API, which is the same for everybody', async () => {
    const key = keyOf('getOpenApi', {})
    cache.watch(key, watcher)
    await asked[0]?.answer('document')
    cache.forget('nobody')
    expect(cache.peek(key)?.data).toBe('document')
  })

  test('keeps so many answers that nobody looks at, and all that somebody does', () => {
    const keys = Array.from({ length: 10 }, (_, at) => keyOf('getApp', { id: String(at) }))
    const stops = keys.map((key) => cache.watch(key, watcher))
    expect(keys.filter((key) => cache.peek(key))).toHaveLength(10)
    for (const stop of stops.slice(0, 9)) stop()
    const kept = keys.filter((key) => cache.peek(key))
    expect(kept).toHaveLength(KEPT_MAX)
    expect(kept).toContain(keys[9] ?? '')
  })
})
