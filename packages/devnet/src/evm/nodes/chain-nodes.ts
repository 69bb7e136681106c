import type { Clock } from '../../../../../src/ports/clock.ts'
import type { DevnetNode, DevnetNodeChange } from '../../../../../src/ports/devnet-control.ts'
import type { ForkableChain } from '../fork/forkable-chain.ts'
import { eventsOf, type NodeEvents } from './events-of.ts'
import { laggingChain } from './lagging-chain.ts'
import { lyingChain } from './lying-chain.ts'

type Node = DevnetNodeChange & {
  /** Settled when it behaves otherwise; those whom it keeps waiting look again. */
  changed: PromiseWithResolvers<void>
}

/** Several nodes of one chain, each of which can be made to fail in a way of its own. */
export type ChainNodes = {
  list(): readonly DevnetNode[]
  change(name: string, wanted: DevnetNodeChange): void
  /** No node answers for so long. */
  stall(ms: number): void
  /** The chain as a node shows it, once it answers at all; null for one that fails. */
  chainOf(name: string): Promise<ForkableChain | null>
  /** Passes events of a subscription on as the node would; a hanging one has none. */
  eventsOf(name: string, send: (text: string) => void): NodeEvents
}

const HONEST: DevnetNodeChange = { behaviour: 'honest', blocks: 0 }

/** Requests that a hanging node keeps waiting; further ones fail. */
const WAITING_MAX = 1_000

export function openChainNodes(clock: Clock, chain: ForkableChain): ChainNodes {
  const nodes = new Map<string, Node>()
  const stalled = openStall(clock)
  let waiting = 0

  const behaviourOf = (name: string): DevnetNodeChange => {
    return stalled.until() === null ? (nodes.get(name) ?? HONEST) : { ...HONEST, behaviour: 'hang' }
  }
  const changeOf = (name: string) =>
    Promise.race([nodeOf(nodes, name).changed.promise, stalled.over()])

  return {
    list: () => [...nodes].map(([name, { behaviour, blocks }]) => ({ name, behaviour, blocks })),
    change(name, wanted) {
      const { changed } = nodeOf(nodes, name)
      nodes.set(name, { ...wanted, changed: Promise.withResolvers() })
      changed.resolve()
    },
    stall: stalled.begin,
    async chainOf(name) {
      while (behaviourOf(name).behaviour === 'hang') {
        if (waiting >= WAITING_MAX) return null
        waiting++
        await changeOf(name).finally(() => waiting--)
      }
      return shownBy(chain, behaviourOf(name))
    },
    eventsOf: (name, send) => eventsOf(() => behaviourOf(name), send),
  }
}

function nodeOf(nodes: Map<string, Node>, name: string): Node {
  const known = nodes.get(name)
  if (known) return known
  const node = { ...HONEST, changed: Promise.withResolvers<void>() }
  nodes.set(name, node)
  return node
}

function shownBy(chain: ForkableChain, { behaviour, blocks }: DevnetNodeChange) {
  if (behaviour === 'fail') return null
  if (behaviour === 'lag') return laggingChain(chain, blocks)
  return behaviour === 'lie' ? lyingChain(chain) : chain
}

/** A time in which nobody answers; a new one takes the place of the one before. */
function openStall(clock: Clock) {
  let over = Promise.withResolvers<void>()
  let untilMs: number | null = null
  let cancel = () => {}
  return {
    until: () => untilMs,
    over: () => over.promise,
    begin(ms: number) {
      cancel()
      untilMs = clock.nowMs() + ms
      cancel = clock.after(ms, () => {
        untilMs = null
        over.resolve()
        over = Promise.withResolvers()
      })
    },
  }
}
