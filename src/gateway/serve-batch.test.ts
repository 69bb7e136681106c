import { expect, test } from 'bun:test'
import type { Call } from '../core/rpc/jsonrpc.ts'
import { serveBatch } from './serve-batch.ts'
import type { RpcContext, ServeNeeds } from './serve-rpc.ts'
import { openUnreadBudget } from './unread-budget.ts'

const MEMBERS = 300
const PAGE_BYTES = 4 * 2 ** 20

test('a batch of pages of our own is made some at a time, and holds no more than it may', async () => {
  // One page of memory stands for all: only their sizes are counted.
  const pieces = [new Uint8Array(PAGE_BYTES)]
  const reply = { kind: 'bytes', pieces, upstream: 'index', cache: 'hit' } as const
  let [made, under, most] = [0, 0, 0]
  const local = {
    async serve() {
      made += 1
      under += 1
      most = Math.max(most, under)
      await Bun.sleep(0)
      under -= 1
      return reply
    },
  }
  const method = { label: 'getProgramAccounts', refusedLabel: 'getProgramAccounts' }
  const needs = {
    local,
    guard: { admit: () => null, settle() {} },
    heights: { share: () => null },
    meter: { add() {} },
    answers: openUnreadBudget(() => 2 ** 40),
  } as unknown as ServeNeeds
  const context = {
    caller: { account: { tier: { paid: true } }, app: { id: 'app_1' }, isDemo: false, rules: null },
    service: {
      network: { id: 'SOLANA_MAINNET', kind: 'solana' },
      methods: { priced: () => ({ ...method, paidOnly: true, billedCentiCu: 1 }) },
      pool: { selection: { head: null } },
    },
    name: 'app_1',
    isBatch: true,
    held: null,
  } as unknown as RpcContext
  const calls = Array.from({ length: MEMBERS }, (_, id): Call => {
    const call = { idText: `${id}`, method: 'getProgramAccounts', params: [], paramsText: '[]' }
    return call as unknown as Call
  })

  const { members, centiCu } = await serveBatch(needs, context, calls)
  expect(most).toBeLessThanOrEqual(8)
  expect(made * PAGE_BYTES).toBeLessThan(300 * 2 ** 20)
  expect(centiCu).toBe(made)
  const refusals = members.slice(made).map(({ rejection }) => rejection?.message)
  expect(new Set(refusals)).toEqual(
    new Set(['The answers of this batch are too large; please ask in smaller batches.']),
  )
  expect(members.slice(0, made).every(({ rejection }) => rejection === null)).toBe(true)
})
