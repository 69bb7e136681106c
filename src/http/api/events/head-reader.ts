import type { World } from '../../../ports/world.ts'
import {
  canonicalSince,
  type FollowedTip,
  followedTips,
} from '../../../tables/chain/followed-tips.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { WireEvents } from '../../contract/contract.ts'
import { gapEvent, type LiveEvent } from './live-event.ts'

type Block = { network: string; number: number; hash: string | null; atMs: number }

type KnownChain = {
  sequenceNumber: number
  number: number
  /** Blocks up to this height replace others. */
  highest: number
  /** The first height that the last reorg replaced, until its blocks are all passed. */
  fork: number | null
}

/** More blocks of one network at once mean that Headgate is catching up. */
const BLOCKS_MAX = 100

/** Reads the new heads of all networks that this process serves; at first, the present ones. */
export function openHeadReader(
  { clock, database }: World,
  services: () => readonly NetworkService[],
): () => Promise<LiveEvent[]> {
  const chains = new Map<string, KnownChain>()
  /** Networks that are not followed, such as Solana's, have a present head and no past. */
  const unfollowed = new Map<string, string>()

  const newHeads = async (chain: KnownChain, tip: FollowedTip): Promise<LiveEvent[]> => {
    const { network, atMs } = tip
    const blocks = await canonicalSince(database, network, chain.sequenceNumber, BLOCKS_MAX)
    const events = (blocks.at(-1)?.sequenceNumber ?? chain.sequenceNumber) - chain.sequenceNumber
    // Blocks that came and were replaced since the last read are only counted, so this is an upper
    // bound: after two reorgs between reads, a new height may carry `reorganised_from` as well.
    const reached = Math.min(tip.highest, chain.number + events - blocks.length)
    chain.highest = Math.max(chain.highest, reached)
    return blocks.map(({ number, hash, sequenceNumber }) => {
      chain.sequenceNumber = Math.max(chain.sequenceNumber, sequenceNumber)
      return headEvent({ network, number, hash, atMs }, moved(chain, number))
    })
  }

  const readFollowed = async (served: ReadonlySet<string>): Promise<LiveEvent[]> => {
    const read = new Map<string, KnownChain>()
    const heads: LiveEvent[] = []
    for (const tip of await followedTips(database)) {
      if (!served.has(tip.network)) continue
      const known = chains.get(tip.network)
      const events = known ? tip.sequenceNumber - known.sequenceNumber : Number.POSITIVE_INFINITY
      if (events <= 0) continue
      const chain = known && events <= BLOCKS_MAX ? { ...known } : { ...tip, fork: null }
      read.set(tip.network, chain)
      if (known && events <= BLOCKS_MAX) heads.push(...(await newHeads(chain, tip)))
      else heads.push(...(known ? [gapEvent('heads')] : []), headEvent(tip, null))
    }
    // Only now, so that what could not be read is read the next time.
    for (const [network, chain] of read) chains.set(network, chain)
    return heads
  }

  const readUnfollowed = (): LiveEvent[] =>
    services().flatMap(({ network: { id, kind }, pool }) => {
      const { head } = pool.selection
      if (!head || chains.has(id)) return []
      const hash = kind === 'evm' ? head.hash : null
      if (unfollowed.get(id) === `${head.number} ${hash}`) return []
      unfollowed.set(id, `${head.number} ${hash}`)
      return [headEvent({ network: id, number: head.number, hash, atMs: clock.nowMs() }, null)]
    })

  return async () => {
    const served = new Set(services().map(({ network }) => network.id))
    const followed = await readFollowed(served)
    return [...followed, ...readUnfollowed()]
  }
}

/** Adds that block to the chain; the first height that was replaced, if it replaces one. */
function moved(chain: KnownChain, number: number): number | null {
  if (number > chain.highest) chain.fork = null
  else if (number <= chain.number || chain.fork === null) chain.fork = number
  chain.number = number
  chain.highest = Math.max(chain.highest, number)
  return chain.fork
}

function headEvent(
  { network, number, hash, atMs }: Block,
  reorganised_from: number | null,
): LiveEvent {
  const head: WireEvents['head'] = { network, number, hash, time: atMs, reorganised_from }
  return { topic: 'heads', name: 'head', kept: network, data: JSON.stringify(head) }
}
