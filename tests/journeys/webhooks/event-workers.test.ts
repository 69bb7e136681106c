// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { listen } from '../../support/deliveries/event-client.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

setDefaultTimeout(60_000)

let headgate: TestHeadgate
let chain: DevnetChain

beforeAll(async () => {
  headgate = await startHeadgate({
    env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '60000', HEADGATE_GATEWAY_WORKERS: '2' },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})

let isStopped = false
afterAll(async () => {
  if (!isStopped) await headgate.stop()
})

test('through gateway workers events come as they happen, and end with the service', async () => {
  const query = '?topics=heads'
  const client = await listen(headgate.url, headgate.teamToken, { query })
  const { number } = await chain.head()
  await client.hears('head', (head) => head.number === number)
  for (const more of [1, 2, 3]) {
    await chain.mine()
    // Each is heard before the next is mined: nothing is held back on the way.
    await client.hears('head', (head) => head.number === number + more)
  }

  const left = await listen(headgate.url, headgate.teamToken, { query })
  await left.hears('head', () => true)
  left.close()
  const open = async () => {
    const text = await (await fetch(`${headgate.url}/metrics`)).text()
    return Number(/^headgate_event_streams (\d+)$/m.exec(text)?.[1])
  }
  await until(async () => (await open()) === 1, 'a client that left is not told any more')

  isStopped = true
  await headgate.stop()
  expect(await client.ended).toBe('in order')
})
