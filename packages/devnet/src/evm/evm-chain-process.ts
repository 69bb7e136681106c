import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../../src/system/machine/system-entropy.ts'
import { type ChildSocket, liveWithParent, serveChild } from '../serve-child.ts'
import { openEdrChain } from './edr-chain.ts'
import { openForkableChain } from './fork/forkable-chain.ts'
import { openRawChain } from './fork/raw-chain.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'
import { serveChain } from './serve-chain.ts'
import { subscriptions } from './subscriptions.ts'

/** The development chain as a process of its own. Started by evm-chain.ts. */

const LIMITS = { bodyBytesMax: 5 * 1_048_576, unreadBytesMax: 16 * 1_048_576 }

const [blockTimeMs = Number.NaN, chainId = Number.NaN, transactionsPerBlock = 0] = process.argv
  .slice(2)
  .map(Number)

liveWithParent()
const listening = subscriptions()
const clock = systemClock()
const provider = await openEdrChain({ chainId, onEvent: listening.onEvent })
renewSubscriptions(clock, provider, listening.ids)
const needs = {
  chain: openRawChain(provider),
  clock,
  entropy: systemEntropy(),
  memoryBytes: () => process.memoryUsage.rss(),
}
const chain = openForkableChain(needs, { chainId, blockTimeMs, transactionsPerBlock })

serveChild(LIMITS, {
  post: (text) => serveChain(chain, text, null),
  message: answerMessage,
  closed: forgetSocket,
})

async function answerMessage(socket: ChildSocket, text: string): Promise<void> {
  const subscribed: string[] = []
  const answer = await serveChain(chain, text, {
    full: listening.isFull(),
    subscribed: (id) => subscribed.push(id),
    unsubscribed: listening.release,
  })

  // First the answer, then the events: a client drops what comes for an id it does not know.
  socket.send(answer)
  for (const id of subscribed) listening.claim(id, socket)
}

async function forgetSocket(socket: ChildSocket): Promise<void> {
  for (const id of listening.idsOf(socket)) {
    listening.release(id)
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [id] }
    await provider.handleRequest(JSON.stringify(request))
  }
}
