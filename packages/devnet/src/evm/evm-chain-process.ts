import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../../src/system/machine/system-entropy.ts'
import { liveWithParent, serveChild } from '../serve-child.ts'
import { openEdrChain } from './edr-chain.ts'
import { openForkableChain } from './fork/forkable-chain.ts'
import { openRawChain } from './fork/raw-chain.ts'
import { openChainNodes } from './nodes/chain-nodes.ts'
import { serveNodes } from './nodes/serve-nodes.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'
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
const needs = { chain: openRawChain(provider), clock, entropy: systemEntropy() }
const chain = openForkableChain(needs, { chainId, blockTimeMs, transactionsPerBlock })

const nodes = openChainNodes(clock, chain)
serveChild(LIMITS, serveNodes({ chain, nodes, listening, release: forgetSubscription }))

async function forgetSubscription(id: string): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [id] }
  await provider.handleRequest(JSON.stringify(request))
}
