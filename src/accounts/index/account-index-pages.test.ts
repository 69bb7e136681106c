import { describe, expect, test } from 'bun:test'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../core/solana/request/program-accounts.ts'
import { isSolanaError, solanaError } from '../../core/solana/solana-error.ts'
import type { AccountStore, KnownMint, PageOrder, PageStep } from '../../ports/account-store.ts'
import { openReading, readPageParts, readWholePage } from './account-index-pages.ts'

const MIB = 1024 * 1024
const SHOWN = { slot: 7, unixTimestamp: 0n, takenAtMs: 0, keptUntilMs: null, retiredAtMs: null }
const PLACE = { slot: 7n, after: null, limit: 1000, bytesMax: 1e9, teamId: 'team' }
const FACTS = { decimals: 3, interest: null, scaled: null }

/** A store that answers with these steps, one record of so many bytes each. */
function scripted(steps: readonly (Partial<PageStep> & { length: number })[]) {
  const orders: PageOrder[] = []
  const page = async (order: PageOrder): Promise<PageStep> => {
    const { length, ...step } = steps[orders.length] ?? { length: 0 }
    orders.push({ ...order, mints: [...order.mints] })
    const last = keyOf(orders.length)
    return {
      pieces: length > 0 ? [new Uint8Array(length).fill(120)] : [],
      count: length > 0 ? 1 : 0,
      last: length > 0 ? last : null,
      more: orders.length < steps.length ? { lookedTo: last } : false,
      unknownMints: [],
      ...step,
    }
  }
  return { orders, store: { page } as unknown as AccountStore }
}

const noMints = async (): Promise<KnownMint[]> => []

describe('a page of several steps', () => {
  test('is one piece up to eight megabytes, and large beyond', async () => {
    for (const [count, isLarge] of [
      [3, false],
      [5, true],
    ] as const) {
      const { store } = scripted(Array(count).fill({ length: 2 * MIB }))
      const page = await readWholePage(openReading(store, noMints), callOf(), PLACE, SHOWN)
      if (isLarge) expect(page).toBe('large')
      else expect(page).toMatchObject({ count, last: keyOf(count), more: false })
    }
  })

  test('in parts is the same, and no step is made before it is asked for', async () => {
    const { store, orders } = scripted([{ length: 5 }, { length: 0 }, { length: 6, more: true }])
    const parts = readPageParts(openReading(store, noMints), callOf(), PLACE, SHOWN)
    expect(orders).toHaveLength(0)
    const texts: string[] = []
    for await (const { bytes, more } of parts) texts.push(`${Buffer.concat(bytes)} ${more}`)
    expect(texts).toEqual(['xxxxx false', ' false', ',xxxxxx true'])
    expect(orders.map(({ stepBytesMax }) => stepBytesMax)).toEqual(Array(3).fill(2 * MIB))
    expect(orders.map(({ hasRecords }) => hasRecords)).toEqual([false, true, true])
  })

  test.each(['base58', 'binary'])('is refused for its last record in %s', async (encoding) => {
    const refusal = solanaError(-32600, 'too long')
    const { store, orders } = scripted(Array(6).fill({ length: 4 * MIB }))
    const refusing = {
      page: async (order: PageOrder) => (orders.length === 5 ? refusal : store.page(order)),
    } as unknown as AccountStore
    const page = await readWholePage(openReading(refusing, noMints), callOf(encoding), PLACE, SHOWN)
    expect(page).toEqual(refusal)
  })
})

test('mints that the store does not have are looked up, and the step is made again', async () => {
  const asked: unknown[] = []
  const lookUp = async (keys: readonly Uint8Array[], ...rest: unknown[]) => {
    asked.push([keys, ...rest])
    return keys.map((pubkey) => ({ pubkey, facts: FACTS }))
  }
  const { store, orders } = scripted([{ length: 4, unknownMints: [keyOf(9)] }, { length: 5 }])
  const page = await readWholePage(openReading(store, lookUp), callOf('jsonParsed'), PLACE, SHOWN)
  expect(page).toMatchObject({ count: 1, more: false, bytes: [new Uint8Array(5).fill(120)] })
  expect(asked).toEqual([[[keyOf(9)], 'finalized', 7]])
  expect(orders.map(({ mints }) => mints)).toEqual([[], [{ pubkey: keyOf(9), facts: FACTS }]])
})

function callOf(encoding = 'base64'): ProgramAccountsCall {
  const params = `["Stake11111111111111111111111111111111111111",{"encoding":"${encoding}"}]`
  const call = readProgramAccountsCall(params, { defaultEncoding: 'json', pageLimit: 1e6 })
  if (isSolanaError(call)) throw new Error(call.message)
  return call
}
