import type { Clock } from '../clock.ts'
import type { Entropy } from '../entropy.ts'
import type { KeptChain } from './archive/kept-chain.ts'
import { openKeptChain } from './archive/open-kept-chain.ts'
import { type EdrFork, genesisAddresses, openEdrChain, openEdrContext } from './edr-chain.ts'
import { openRawChain } from './fork/raw-chain.ts'

type Needs = {
  clock: Pick<Clock, 'nowMs'>
  entropy: Pick<Entropy, 'bytes'>
  onEvent(subscriptionId: bigint, result: unknown): void
  /** For sentences that whoever started the chain should read. */
  say(sentence: string): void
}

type Options = { chainId: number; folder: string | null; hardfork: string | undefined }

type OpenChain = Omit<KeptChain, 'past'> & { past: KeptChain['past'] | null }

export async function openChain(
  needs: Needs,
  { chainId, folder, hardfork }: Options,
): Promise<OpenChain> {
  const context = await openEdrContext()
  let listenedId = (id: bigint) => id
  const onEvent = (id: bigint, result: unknown) => needs.onEvent(listenedId(id), result)
  const open = (fork: EdrFork | null) => openEdrChain(context, { chainId, onEvent, fork, hardfork })
  const listenTo = (provider: { listenedId(id: bigint): bigint }) => {
    listenedId = provider.listenedId
  }
  if (folder !== null) {
    const options = { folder, chainId, genesisAddresses: genesisAddresses() }
    const kept = await openKeptChain({ ...needs, open, listenTo }, options)
    if (kept !== null) return kept
  }
  const provider = await open(null)
  return { provider, chain: openRawChain(provider), past: null, close: async () => {} }
}
