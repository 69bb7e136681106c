import { describe, expect, test } from 'bun:test'
import { testClock } from '../../tests/support/test-clock.ts'
import { openNameLookup } from './name-lookup.ts'

const KEPT_MS = 30_000
const KEPT_EMPTY_MS = 3000
const LOOKUP_MS_MAX = 3000
const NAMES_MAX = 10_000
const LOOKUPS_MAX = 1000

type Answer = readonly string[] | Error

/** A lookup, and the names that were really asked for. */
function namesWith(answer: (name: string) => Answer | Promise<Answer>) {
  const clock = testClock()
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    const found = await answer(name)
    if (found instanceof Error) throw found
    return found
  }
  return { clock, asked, names: openNameLookup({ clock, resolve }) }
}

describe('an answer', () => {
  test('is kept for half a minute', async () => {
    let address = '1.1.1.1'
    const { clock, asked, names } = namesWith(() => [address])
    expect(await names.addressesOf('hook.test')).toEqual(['1.1.1.1'])
    address = '2.2.2.2'
    await clock.advance(KEPT_MS - 1)
    expect(await names.addressesOf('hook.test')).toEqual(['1.1.1.1'])
    await clock.advance(1)
    expect(await names.addressesOf('hook.test')).toEqual(['2.2.2.2'])
    expect(asked).toHaveLength(2)
  })

  test.each<[string, Answer]>([
    ['empty', []],
    ['an error', new Error('ENOTFOUND')],
  ])('is kept for a few seconds when it is %s', async (_title, first) => {
    let answer: Answer = first
    const { clock, asked, names } = namesWith(() => answer)
    expect(await names.addressesOf('hook.test')).toBeNull()
    answer = ['1.1.1.1']
    await clock.advance(KEPT_EMPTY_MS - 1)
    expect(await names.addressesOf('hook.test')).toBeNull()
    await clock.advance(1)
    expect(await names.addressesOf('hook.test')).toEqual(['1.1.1.1'])
    expect(asked).toHaveLength(2)
  })

  test('is waited for by all who ask, and asked for once', async () => {
    const { asked, names } = namesWith(() => ['1.1.1.1'])
    const burst = Array.from({ length: 50 }, () => names.addressesOf('hook.test'))
    for (const addresses of await Promise.all(burst)) expect(addresses).toEqual(['1.1.1.1'])
    expect(asked).toEqual(['hook.test'])
  })

  test('names each address once', async () => {
    const { names } = namesWith(() => ['1.1.1.1', '::1', '1.1.1.1'])
    expect(await names.addressesOf('hook.test')).toEqual(['1.1.1.1', '::1'])
  })

  test('that does not come is not waited for, and asked for again later', async () => {
    let answer: Promise<Answer> = new Promise(() => {})
    const { clock, asked, names } = namesWith(() => answer)
    const asking = names.addressesOf('hook.test')
    await clock.advance(LOOKUP_MS_MAX)
    expect(await asking).toBeNull()
    answer = Promise.resolve(['1.1.1.1'])
    await clock.advance(KEPT_EMPTY_MS)
    expect(await names.addressesOf('hook.test')).toEqual(['1.1.1.1'])
    expect(asked).toHaveLength(2)
    expect(clock.timers()).toBe(0)
  })

  test('is forgotten first when it is the oldest of too many', async () => {
    const { asked, names } = namesWith(() => ['1.1.1.1'])
    for (let name = 0; name <= NAMES_MAX; name++) await names.addressesOf(`h${name}.test`)
    asked.length = 0
    await names.addressesOf(`h${NAMES_MAX}.test`)
    await names.addressesOf('h1.test')
    expect(asked).toEqual([])
    await names.addressesOf('h0.test')
    expect(asked).toEqual(['h0.test'])
  })

  test('is not even asked for while too many others are', async () => {
    const { clock, asked, names } = namesWith(() => new Promise(() => {}))
    for (let name = 0; name < LOOKUPS_MAX; name++) names.addressesOf(`h${name}.test`)
    expect(await names.addressesOf('one-more.test')).toBeNull()
    expect(asked).toHaveLength(LOOKUPS_MAX)
    await clock.advance(LOOKUP_MS_MAX)
    names.addressesOf('one-more.test')
    expect(asked).toHaveLength(LOOKUPS_MAX + 1)
  })
})

describe('what became of the addresses', () => {
  test('one that took a connection is the first from then on', async () => {
    const { names } = namesWith(() => ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
    await names.addressesOf('hook.test')
    names.prefer('hook.test', '3.3.3.3')
    names.prefer('hook.test', '9.9.9.9')
    names.prefer('other.test', '1.1.1.1')
    expect(await names.addressesOf('hook.test')).toEqual(['3.3.3.3', '1.1.1.1', '2.2.2.2'])
  })

  test('when none did, the name is soon asked for again', async () => {
    const { clock, asked, names } = namesWith(() => ['1.1.1.1'])
    await names.addressesOf('hook.test')
    names.doubt('hook.test')
    await clock.advance(KEPT_EMPTY_MS - 1)
    names.doubt('hook.test')
    await names.addressesOf('hook.test')
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    await names.addressesOf('hook.test')
    expect(asked).toHaveLength(2)
  })
})
