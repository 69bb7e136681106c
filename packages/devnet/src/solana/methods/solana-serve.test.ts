import { expect, test } from 'bun:test'
import { systemClock } from '../../clock.ts'
import { FIRST_SLOT } from '../solana-asleep.ts'
import { openSolanaChain } from '../solana-chain.ts'
import { serveSolana } from './solana-serve.ts'
import { openSubscriptions } from './solana-subscriptions.ts'

test('a long batch keeps its order, and lets others through in between', async () => {
  const chain = openSolanaChain(systemClock(), FIRST_SLOT + 1)
  let nowMs = 0
  let turns = 0
  const clock = {
    // As if each call took a while.
    monotonicMs: () => (nowMs += 20),
    async sleep() {
      turns++
    },
  }
  const parts = { clock, chain, subscriptions: openSubscriptions(chain) }
  const call = (id: number, method: string, params: unknown[]) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  })
  const batch = Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0
      ? call(at, 'headgate_advanceSlots', [3])
      : call(at, 'getSlot', [{ commitment: 'processed' }]),
  )
  const answers = JSON.parse(await serveSolana(parts, JSON.stringify(batch), null))
  const start = FIRST_SLOT + 1
  const expected = [3, 3, 6, 6, 9, 9, 12, 12, 15, 15]
  expect(answers.map(({ id }: { id: number }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(answers.map(({ result }: { result: number }) => result - start)).toEqual(expected)
  expect(turns).toBeGreaterThan(1)
})
