import { systemClock } from '../clock.ts'
import { systemEntropy } from '../entropy.ts'
import { liveWithParent, serveChild } from '../serve-child.ts'
import type { KeptChain } from './archive/kept-chain.ts'
import { openKeptChain } from './archive/open-kept-chain.ts'
import { type EdrFork, genesisAddresses, openEdrChain, openEdrContext } from './edr-chain.ts'
import { openForkableChain } from './fork/forkable-chain.ts'
import { openRawChain } from './fork/raw-chain.ts'
import { openChainNodes } from './nodes/chain-nodes.ts'
import { serveNodes } from './nodes/serve-nodes.ts'
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
const context = await openEdrContext()
/** The id under which listeners know a subscription of the chain that is in place. */
let listenedId = (id: bigint) => id
const base = (await keptChain()) ?? (await chainInMemory())
open(base)
renewSubscriptions(own.clock, base.provider, listening.ids)
const memoryBytes = () => process.memoryUsage.rss()
const pace = { chainId, blockTimeMs, transactionsPerBlock }
const chain = openForkableChain({ ...own, ...base, ...pace, memoryBytes })
stopMining = () => chain.ask('headgate_change', [{ isHeld: true }])

const nodes = openChainNodes(own.clock, chain)
serveChild(LIMITS, serveNodes({ chain, nodes, listening, release: forgetSubscription }))

async function keptChain(): Promise<KeptChain | null> {
  if (folder === null) return null
  const options = { folder, chainId, genesisAddresses: genesisAddresses() }
  const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  const listenTo = (provider: { listenedId(id: bigint): bigint }) => {
    listenedId = provider.listenedId
  }
  return openKeptChain({ ...own, open: openProvider, listenTo, say }, options)
}

async function chainInMemory() {
  const provider = await openProvider(null)
  return { provider, chain: openRawChain(provider), past: null, close: async () => {} }
}

function openProvider(fork: EdrFork | null) {
  const onEvent = (id: bigint, result: unknown) => listening.onEvent(listenedId(id), result)
  return openEdrChain(context, { chainId, onEvent, fork, hardfork: hardfork || undefined })
}

async function forgetSubscription(id: string): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [id] }
  await base.provider.handleRequest(JSON.stringify(request))
}
