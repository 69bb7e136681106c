import { expect, test } from 'bun:test'
import { testClock } from '../../../../tests/support/basics/test-clock.ts'
import { openEdrChain, openEdrContext } from './edr-chain.ts'
import { renewSubscriptions } from './subscriptions.ts'

test('a subscription with a listener is asked for before the chain forgets it', async () => {
  const clock = testClock()
  const chain = await openEdrChain(await openEdrContext(), {
    chainId: 31_337,
    onEvent: () => {},
    fork: null,
  })
  const ask = async (method: string, ...params: unknown[]) => {
    const { data } = await chain.handleRequest(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    )
    return JSON.parse(String(data)).result
  }
  const kept = await ask('eth_subscribe', 'newHeads')
  const forgotten = await ask('eth_subscribe', 'newHeads')
  const renewed = Promise.withResolvers<void>()
  const watched = {
    handleRequest: async (request: string) => {
      const answer = await chain.handleRequest(request)
      renewed.resolve()
      return answer
    },
  }
  renewSubscriptions(clock, watched, () => [kept])
  await ask('evm_mine')
  await clock.advance(60_000)
  await renewed.promise
  // What the chain told is held until somebody asks for it: that was done for the one alone.
  expect(await ask('eth_getFilterChanges', kept)).toEqual([])
  expect(await ask('eth_getFilterChanges', forgotten)).not.toEqual([])
})
