import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../../src/system/machine/system-entropy.ts'
import { type ChildSocket, liveWithParent, serveChild } from '../serve-child.ts'
import { openForkableChain } from './fork/forkable-chain.ts'
import { openChain } from './open-chain.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'
import { serveChain } from './serve-chain.ts'
import { subscriptions } from './subscriptions.ts'

/** The development chain as a process of its own. Started by evm-chain.ts. */

const LIMITS = { bodyBytesMax: 5 * 1_048_576, unreadBytesMax: 16 * 1_048_576 }

const [blockTime, id, folder = null] = process.argv.slice(2)
const [blockTimeMs, chainId] = [Number(blockTime), Number(id)]

const { promise: opened, resolve: open } = Promise.withResolvers<{ close(): Promise<void> }>()
liveWithParent(async () => (await opened).close())
const listening = subscriptions()
const own = { clock: systemClock(), entropy: systemEntropy() }
const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
const base = await openChain({ ...own, onEvent: listening.onEvent, say }, { chainId, folder })
open(base)
renewSubscriptions(own.clock, base.provider, listening.ids)
const chain = openForkableChain({ ...own, ...base }, { chainId, blockTimeMs })

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
    await base.provider.handleRequest(JSON.stringify(request))
  }
}
