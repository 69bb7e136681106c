import { afterEach, expect, test } from 'bun:test'
import { accountStages } from '../../../tests/support/solana/account-stages.ts'
import { Failure } from '../../core/errors.ts'
import type { AccountIndex, IndexPlace } from './indexed-pages.ts'

const stages = accountStages()

afterEach(() => stages.closeAll())

type Plan = { covers: boolean; gone: boolean; large: boolean; places: IndexPlace[] }

/** An index of three accounts, whose keys are of equal bytes. */
function littleIndex(plan: Plan): AccountIndex {
  const keys = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const shownAt = ({ after, limit }: IndexPlace) => {
    const from = after === null ? 0 : keys.findIndex((key) => key[0] === after[0]) + 1
    const shown = keys.slice(from, from + limit)
    const texts = shown.map(
      (key) => `{"account":{"lamports":${'9'.repeat(18)}},"pubkey":"${key[0]}"}`,
    )
    return { shown, texts, more: from + shown.length < keys.length }
  }
  return {
    covers: () => (plan.covers ? { slot: 2n ** 53n + 1n } : null),
    async page(_call, place) {
      plan.places.push(place)
      if (plan.gone) return 'gone'
      if (plan.large) return 'large'
      const { shown, texts, more } = shownAt(place)
      const last = shown.at(-1) ?? null
      const bytes = [bytesOf(texts.join())]
      return { bytes, count: shown.length, last, more }
    },
    async *parts(_call, place) {
      const { shown, texts, more } = shownAt(place)
      for (const [at, text] of texts.entries()) {
        if (plan.gone) throw new Failure('database_unavailable')
        const bytes = at === 0 ? [bytesOf(text)] : [bytesOf(','), bytesOf(text)]
        yield { bytes, last: shown[at] ?? null, more: false }
      }
      // As where the last rows that were looked at held nothing.
      yield { bytes: [], last: null, more }
    },
  }
}

const plan = (given: Partial<Plan> = {}): Plan => ({
  covers: true,
  gone: false,
  large: false,
  places: [],
  ...given,
})

test('what the index covers is answered from it, page by page at its slot', async () => {
  const planned = plan()
  const { node, stage } = await stages.open(3, { index: littleIndex(planned) })
  const first = await stage.ask({ limit: 2 })
  expect(first.text).toBe(
    `{"result":[{"account":{"lamports":999999999999999999},"pubkey":"1"},{"account":{"lamports":999999999999999999},"pubkey":"2","pageKey":"${first.reply.pageKey}"}],"pageKey":"${first.reply.pageKey}"}`,
  )
  const { pageKey } = first.reply
  const second = await stage.ask({ limit: 2, pageKey, withContext: true })
  expect(second.text).toBe(
    '{"result":{"context":{"slot":9007199254740993},"value":[{"account":{"lamports":999999999999999999},"pubkey":"3"}]}}',
  )
  expect([first.cache, first.upstream]).toEqual(['hit', 'index'])
  expect(planned.places.map(({ slot }) => slot)).toEqual([2n ** 53n + 1n, 2n ** 53n + 1n])
  expect(node.callsOf('getProgramAccounts')).toBe(0)
})

test('what it does not cover is asked of a node', async () => {
  const { node, stage } = await stages.open(3, { index: littleIndex(plan({ covers: false })) })
  expect((await stage.ask()).upstream).toBe('node-0')
  expect(node.callsOf('getProgramAccounts')).toBe(1)
})

test('a moment that it shows no more has expired', async () => {
  const planned = plan()
  const { stage } = await stages.open(3, { index: littleIndex(planned) })
  const { pageKey } = (await stage.ask({ limit: 1 })).reply
  planned.gone = true
  const { error } = (await stage.ask({ limit: 1, pageKey })).reply
  expect(error).toEqual({ code: -32602, message: 'pageKey has expired' })
})

test.each([
  ['the plain array', {}],
  ['with context', { withContext: true }],
])('a page that is too large to be held is the same in parts: %s', async (_title, config) => {
  const planned = plan()
  const { stage } = await stages.open(3, { index: littleIndex(planned) })
  const withoutKeys = (text: string) => text.replaceAll(/"pageKey":"[^"]+"/g, '"pageKey"')
  for (const limit of [1, 2, 3]) {
    planned.large = false
    const whole = await stage.ask({ ...config, limit })
    planned.large = true
    const parts = await stage.ask({ ...config, limit })
    expect(withoutKeys(parts.text)).toBe(withoutKeys(whole.text))
    if (limit === 3) continue
    const { pageKey } = 'withContext' in config ? parts.reply.result : parts.reply
    const rest = await stage.ask({ limit: 3, pageKey })
    expect(rest.reply.result).toHaveLength(3 - limit)
  }
})

test('a page in parts is not begun before it is read, and breaks off when it is gone', async () => {
  const planned = plan({ large: true })
  const { stage } = await stages.open(3, { index: littleIndex(planned) })
  const stream = await stage.askStream()
  planned.gone = true
  expect(String(await new Response(stream).text().catch((thrown) => thrown))).toContain(
    'database_unavailable',
  )
})

test('changedSinceSlot is left to an index that covers it', async () => {
  const { stage } = await stages.open(3, { index: littleIndex(plan()) })
  const { reply } = await stage.ask({ changedSinceSlot: 5 }, 'getProgramAccountsV2')
  expect(reply.result.accounts).toHaveLength(3)
  expect(reply.result.paginationKey).toBeNull()
})
