import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { openNameLookup } from './name-lookup.ts'

const KEPT_MS = 30_000
const KEPT_EMPTY_MS = 3000
const LOOKUP_MS_MAX = 3000
const NAMES_MAX = 10_000
const LOOKUPS_MAX = 1024
const TEAM_LOOKUPS_MAX = 64
const TEAM_WAITING_MAX = 1000
const TEAM = 'team_a'

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
  return { clock, asked, names: openNameLookup(clock, resolve) }
}

describe('an answer', () => {
  test('is kept for half a minute', async () => {
    let address = '1.1.1.1'
    const { clock, asked, names } = namesWith(() => [address])
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['1.1.1.1'])
    address = '2.2.2.2'
    await clock.advance(KEPT_MS - 1)
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['1.1.1.1'])
    await clock.advance(1)
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['2.2.2.2'])
    expect(asked).toHaveLength(2)
  })

  test.each<[string, Answer]>([
    ['empty', []],
    ['an error', new Error('ENOTFOUND')],
  ])('is kept for a few seconds when it is %s', async (_title, first) => {
    let answer: Answer = first
    const { clock, asked, names } = namesWith(() => answer)
    expect(await names.addressesOf('hook.test', TEAM)).toBeNull()
    answer = ['1.1.1.1']
    await clock.advance(KEPT_EMPTY_MS - 1)
    expect(await names.addressesOf('hook.test', TEAM)).toBeNull()
    await clock.advance(1)
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['1.1.1.1'])
    expect(asked).toHaveLength(2)
  })

  test('is waited for by all who ask, and asked for once', async () => {
    const { asked, names } = namesWith(() => ['1.1.1.1'])
    const burst = Array.from({ length: 50 }, () => names.addressesOf('hook.test', TEAM))
    for (const addresses of await Promise.all(burst)) expect(addresses).toEqual(['1.1.1.1'])
    expect(asked).toEqual(['hook.test'])
  })

  test('names each address once', async () => {
    const { names } = namesWith(() => ['1.1.1.1', '::1', '1.1.1.1'])
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['1.1.1.1', '::1'])
  })

  test('that does not come is not waited for, and asked for again later', async () => {
    let answer: Promise<Answer> = new Promise(() => {})
    const { clock, asked, names } = namesWith(() => answer)
    const asking = names.addressesOf('hook.test', TEAM)
    await clock.advance(LOOKUP_MS_MAX)
    expect(await asking).toBeNull()
    answer = Promise.resolve(['1.1.1.1'])
    await clock.advance(KEPT_EMPTY_MS)
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['1.1.1.1'])
    expect(asked).toHaveLength(2)
    expect(clock.timers()).toBe(0)
  })

  test('is forgotten first when it is the oldest of too many', async () => {
    const { asked, names } = namesWith(() => ['1.1.1.1'])
    for (let name = 0; name <= NAMES_MAX; name++) await names.addressesOf(`h${name}.test`, TEAM)
    asked.length = 0
    await names.addressesOf(`h${NAMES_MAX}.test`, TEAM)
    await names.addressesOf('h1.test', TEAM)
    expect(asked).toEqual([])
    await names.addressesOf('h0.test', TEAM)
    expect(asked).toEqual(['h0.test'])
  })
})

describe('a team with names that never answer', () => {
  const never = () => new Promise<never>(() => {})
  const deadNames = (names: ReturnType<typeof openNameLookup>, team: string, count: number) =>
    Array.from({ length: count }, (_, at) => names.addressesOf(`${team}-${at}.test`, team))

  test('has so many lookups under way and no more, and holds up no other team', async () => {
    const { asked, names } = namesWith((name) => (name === 'good.test' ? ['1.1.1.1'] : never()))
    deadNames(names, TEAM, 500)
    expect(asked).toHaveLength(TEAM_LOOKUPS_MAX)
    expect(await names.addressesOf('good.test', 'team_b')).toEqual(['1.1.1.1'])
    expect(asked).toHaveLength(TEAM_LOOKUPS_MAX + 1)
  })

  test('waits for its own turns, which come when lookups end', async () => {
    const { clock, asked, names } = namesWith((name) =>
      name === 'good.test' ? ['1.1.1.1'] : never(),
    )
    deadNames(names, TEAM, TEAM_LOOKUPS_MAX)
    const good = names.addressesOf('good.test', TEAM)
    expect(asked).not.toContain('good.test')
    await clock.advance(LOOKUP_MS_MAX)
    expect(await good).toEqual(['1.1.1.1'])
  })

  test('waits no longer than a lookup takes, and is then told that there is none', async () => {
    const { clock, asked, names } = namesWith(never)
    deadNames(names, TEAM, TEAM_LOOKUPS_MAX)
    await clock.advance(1)
    // These follow while all places are taken, and are taken again when they are free.
    const second = deadNames(names, 'team_a', 2 * TEAM_LOOKUPS_MAX).slice(TEAM_LOOKUPS_MAX)
    const third = names.addressesOf('third.test', TEAM)
    await clock.advance(LOOKUP_MS_MAX)
    expect(await third).toBeNull()
    expect(asked).not.toContain('third.test')
    await clock.advance(LOOKUP_MS_MAX)
    expect(await Promise.all(second)).toEqual(second.map(() => null))
    expect(clock.timers()).toBe(0)
  })

  test('is refused at once when too many of its lookups wait already', async () => {
    const { names } = namesWith(never)
    deadNames(names, TEAM, TEAM_LOOKUPS_MAX + TEAM_WAITING_MAX)
    expect(await names.addressesOf('one-more.test', TEAM)).toBeNull()
  })

  test('cannot, with all others of its kind, keep a team from its first lookup', async () => {
    const { asked, names } = namesWith((name) => (name === 'good.test' ? ['1.1.1.1'] : never()))
    for (let team = 0; team < 20; team++) deadNames(names, `crowd${team}`, TEAM_LOOKUPS_MAX)
    expect(asked.length).toBeLessThanOrEqual(LOOKUPS_MAX + 20)
    expect(await names.addressesOf('good.test', 'team_b')).toEqual(['1.1.1.1'])
  })

  test('does not hold up a team that asks for a name it waits for', async () => {
    const { names } = namesWith((name) => (name === 'good.test' ? ['1.1.1.1'] : never()))
    deadNames(names, TEAM, TEAM_LOOKUPS_MAX)
    names.addressesOf('good.test', TEAM)
    expect(await names.addressesOf('good.test', 'team_b')).toEqual(['1.1.1.1'])
  })

  test('whose lookup was answered for another meanwhile asks no second time', async () => {
    const { clock, asked, names } = namesWith((name) =>
      name === 'good.test' ? ['1.1.1.1'] : never(),
    )
    deadNames(names, TEAM, TEAM_LOOKUPS_MAX)
    const waiting = names.addressesOf('good.test', TEAM)
    await names.addressesOf('good.test', 'team_b')
    await clock.advance(LOOKUP_MS_MAX)
    expect(await waiting).toEqual(['1.1.1.1'])
    expect(asked.filter((name) => name === 'good.test')).toHaveLength(1)
  })
})

describe('what became of the addresses', () => {
  test('one that took a connection is the first from then on', async () => {
    const { names } = namesWith(() => ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
    await names.addressesOf('hook.test', TEAM)
    names.prefer('hook.test', '3.3.3.3')
    names.prefer('hook.test', '9.9.9.9')
    names.prefer('other.test', '1.1.1.1')
    expect(await names.addressesOf('hook.test', TEAM)).toEqual(['3.3.3.3', '1.1.1.1', '2.2.2.2'])
  })

  test('when none did, the name is soon asked for again', async () => {
    const { clock, asked, names } = namesWith(() => ['1.1.1.1'])
    await names.addressesOf('hook.test', TEAM)
    names.expireSoon('hook.test')
    await clock.advance(KEPT_EMPTY_MS - 1)
    names.expireSoon('hook.test')
    await names.addressesOf('hook.test', TEAM)
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    await names.addressesOf('hook.test', TEAM)
    expect(asked).toHaveLength(2)
  })
})
