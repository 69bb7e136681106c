import { systemClock } from '../clock.ts'
import { systemEntropy } from '../entropy.ts'
import { liveWithParent, serveChild } from '../serve-child.ts'
import { openForkableChain } from './fork/forkable-chain.ts'
import { openChainNodes } from './nodes/chain-nodes.ts'
import { serveNodes } from './nodes/serve-nodes.ts'
import { openChain } from './open-chain.ts'
import { renewSubscriptions, subscriptions } from './subscriptions.ts'

/** The development chain as a process of its own. Started by evm-chain.ts. */

const LIMITS = { bodyBytesMax: 5 * 1_048_576, unreadBytesMax: 16 * 1_048_576 }

const [blockTime, id, transactions, hardfork, folder = null] = process.argv.slice(2)
const [blockTimeMs, chainId, transactionsPerBlock] = [blockTime, id, transactions].map(Number) as [
  number,
  number,
  number,
]

const own = { clock: systemClock(), entropy: systemEntropy() }
const { promise: opened, resolve: open } = Promise.withResolvers<{ close(): Promise<void> }>()
let stopMining: () => Promise<unknown> = async () => {}
liveWithParent(own.clock, async () => {
  const { close } = await opened
  // While blocks come, there is always one more to write.
  await stopMining()
  await close()
})
const listening = subscriptions()
const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
const base = await openChain(
  { ...own, onEvent: listening.onEvent, say },
  { chainId, folder, hardfork: hardfork || undefined },
)
open(base)
renewSubscriptions(own.clock, base.provider, listening.ids)
const memoryBytes = () => process.memoryUsage.rss()
const pace = { chainId, blockTimeMs, transactionsPerBlock }
const chain = openForkableChain({ ...own, ...base, ...pace, memoryBytes })
stopMining = () => chain.ask('headgate_change', [{ isHeld: true }])

const nodes = openChainNodes(own.clock, chain)
serveChild(LIMITS, serveNodes({ chain, nodes, listening, release: forgetSubscription }))

async function forgetSubscription(id: string): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [id] }
  await base.provider.handleRequest(JSON.stringify(request))
}
