import type { Clock } from '../../../../ports/clock.ts'
import type { Database } from '../../../../ports/database.ts'
import {
  canonicalSince,
  type FollowedTip,
  followedTips,
} from '../../../../tables/live/followed-tips.ts'
import type { NetworkService } from '../../../../upstream/answers/ask-network.ts'
import type { WireEvents } from '../../../contract/contract.ts'

type Head = WireEvents['head']

export type HeadReaderNeeds = {
  clock: Clock
  database: Database
  services(): readonly NetworkService[]
}

/** Reads the heads of all networks that this process serves. */
export type HeadReader = {
  /** The heads since the last time, each network's in order; null when there were too many. */
  read(): Promise<Head[] | null>
  /** The last head of each network. */
  present(): Head[]
}

/** More blocks of one network at once are not news but a past that is caught up with. */
const BLOCKS_MAX = 100

export function openHeadReader(needs: HeadReaderNeeds): HeadReader {
  const known = new Map<string, KnownChain>()
  const present = new Map<string, Head>()

  /** The heads after the last one that was read; null when there were too many. */
  const newHeads = async (chain: KnownChain, tip: FollowedTip): Promise<Head[] | null> => {
    const { network } = tip
    const events = tip.sequenceNumber - chain.sequenceNumber
    if (events > BLOCKS_MAX) {
      Object.assign(chain, chainAt(tip))
      return null
    }
    // One block more, as is usual, stands in the tip itself.
    const isNext = events === 1 && tip.number === chain.number + 1
    const blocks = isNext
      ? [tip]
      : await canonicalSince(needs.database, network, chain.sequenceNumber, BLOCKS_MAX)
    return blocks.map(({ number, hash, sequenceNumber }) => {
      chain.sequenceNumber = Math.max(chain.sequenceNumber, sequenceNumber)
      return headOf({ network, number, hash, atMs: tip.atMs }, moved(chain, number))
    })
  }

  const readFollowed = async (served: ReadonlySet<string>): Promise<Head[] | null> => {
    const all: Head[] = []
    const chains = new Map<string, KnownChain>()
    let isWhole = true
    for (const tip of await followedTips(needs.database)) {
      if (!served.has(tip.network)) continue
      const before = known.get(tip.network)
      if (before && before.sequenceNumber >= tip.sequenceNumber) continue
      const chain = before ? { ...before } : chainAt(tip)
      const heads = before ? await newHeads(chain, tip) : [headOf(tip, null)]
      chains.set(tip.network, chain)
      isWhole &&= heads !== null
      all.push(...(heads ?? [headOf(tip, null)]))
    }
    // Only now, so that what could not be read is read the next time.
    for (const [network, chain] of chains) known.set(network, chain)
    for (const head of all) present.set(head.network, head)
    return isWhole ? all : null
  }

  /** Networks that nobody follows, such as Solana's, have a present head and no past. */
  const readUnfollowed = (): Head[] => {
    const all: Head[] = []
    for (const { network, pool } of needs.services()) {
      const { head } = pool.selection
      if (!head || known.has(network.id)) continue
      const hash = network.kind === 'evm' ? head.hash : null
      const last = present.get(network.id)
      if (last && last.number === head.number && last.hash === hash) continue
      const atMs = needs.clock.nowMs()
      all.push(headOf({ network: network.id, number: head.number, hash, atMs }, null))
    }
    return all
  }

  return {
    async read() {
      const served = new Set(needs.services().map(({ network }) => network.id))
      for (const id of present.keys()) if (!served.has(id)) present.delete(id)
      const followed = await readFollowed(served)
      const others = readUnfollowed()
      for (const head of others) present.set(head.network, head)
      return followed && [...followed, ...others]
    },
    present: () => [...present.values()],
  }
}

/** How far a network's chain was read. */
type KnownChain = {
  sequenceNumber: number
  number: number
  /** Blocks up to this height replace others. */
  highest: number
  /** The first height that the last reorganisation replaced, until they are all passed. */
  fork: number | null
}

function chainAt({ sequenceNumber, number, highest }: FollowedTip): KnownChain {
  return { sequenceNumber, number, highest, fork: null }
}

/** The chain goes on with that block; the first height that was replaced, where it replaces one. */
function moved(chain: KnownChain, number: number): number | null {
  if (number > chain.highest) chain.fork = null
  else if (number <= chain.number || chain.fork === null) chain.fork = number
  chain.number = number
  chain.highest = Math.max(chain.highest, number)
  return chain.fork
}

type Block = { network: string; number: number; hash: string | null; atMs: number }

function headOf({ network, number, hash, atMs }: Block, reorganisedFrom: number | null): Head {
  return { network, number, hash, time: atMs, reorganised_from: reorganisedFrom }
}
