import type { Clock } from '../../clock.ts'
import type { DevnetNode, DevnetNodeChange } from '../../devnet-control.ts'
import type { ForkableChain } from '../fork/forkable-chain.ts'
import { laggingChain } from './lagging-chain.ts'

export type ChainNodes = ReturnType<typeof openChainNodes>

const HONEST: DevnetNodeChange = { behaviour: 'honest', blocks: 0 }

/** Requests that a hanging node keeps waiting; further ones fail. */
const WAITING_MAX = 1_000

export function openChainNodes(clock: Clock, chain: ForkableChain) {
  const nodes = new Map<string, DevnetNodeChange>()
  /** Settled when any node behaves otherwise; all whom one keeps waiting look again. */
  let changed = Promise.withResolvers<void>()
  let isStalled = false
  let cancelStall = () => {}
  let waiting = 0

  const behaviourOf = (name: string): DevnetNodeChange => {
    return isStalled ? { ...HONEST, behaviour: 'hang' } : (nodes.get(name) ?? HONEST)
  }
  const tellChange = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  return {
    list: (names: readonly string[]): DevnetNode[] =>
      names.map((name) => ({ name, ...(nodes.get(name) ?? HONEST) })),
    change(name: string, wanted: DevnetNodeChange) {
      nodes.set(name, wanted)
      tellChange()
    },
    /** No node answers for so long. */
    stall(ms: number) {
      // A new stall takes the place of the one before.
      cancelStall()
      isStalled = true
      cancelStall = clock.after(ms, () => {
        isStalled = false
        tellChange()
      })
    },
    /** The chain as a node shows it, once it answers at all; null for one that fails. */
    async chainOf(name: string): Promise<ForkableChain | null> {
      while (behaviourOf(name).behaviour === 'hang') {
        if (waiting >= WAITING_MAX) return null
        waiting++
        await changed.promise.finally(() => waiting--)
      }
      return shownBy(chain, behaviourOf(name))
    },
    /** Passes events of a subscription on as the node would; a hanging one has none. */
    eventsOf: (name: string, send: (text: string) => void) =>
      eventsOf(() => behaviourOf(name), send),
  }
}

function shownBy(chain: ForkableChain, { behaviour, blocks }: DevnetNodeChange) {
  if (behaviour === 'fail') return null
  if (behaviour === 'lag') return laggingChain(chain, blocks)
  return behaviour === 'lie' ? lyingChain(chain) : chain
}

type Bend = (result: unknown) => unknown

/** Methods whose answers are bent; all others are answered truly, which makes it hard to find. */
const BENDS: Readonly<Record<string, Bend>> = {
  eth_getLogs: () => [],
  eth_getTransactionReceipt: withoutLogs,
  eth_getBlockReceipts: (result) => (Array.isArray(result) ? result.map(withoutLogs) : result),
  eth_getBalance: (result) => (typeof result === 'string' ? `${result}0` : result),
}

/** The chain as a node shows it that leaves out every log, and shows sixteenfold balances. */
function lyingChain(chain: ForkableChain): ForkableChain {
  return {
    async ask(method, params) {
      const text = await chain.ask(method, params)
      const bend = BENDS[method]
      if (!bend || !text?.startsWith('{"result":')) return text
      const { result } = JSON.parse(text)
      return JSON.stringify({ result: bend(result) })
    },
  }
}

function withoutLogs(receipt: unknown): unknown {
  return typeof receipt === 'object' && receipt !== null ? { ...receipt, logs: [] } : receipt
}

export type NodeEvents = { send(text: string): void }

type Waiting = { height: number; text: string }

/** A node that lags so far behind has long been left by its listeners. */
const EVENTS_WAITING_MAX = 256

/** Passes events on as the node behaves now: late, without logs, or not at all. */
function eventsOf(behaviourNow: () => DevnetNodeChange, send: (text: string) => void): NodeEvents {
  let waiting: Waiting[] = []
  return {
    send(text) {
      const { behaviour, blocks } = behaviourNow()
      if (behaviour === 'honest') return send(text)
      if (behaviour === 'hang' || behaviour === 'fail') return
      const { height, isLog } = readEvent(text)
      if (behaviour === 'lie') return isLog ? undefined : send(text)
      if (height === null) return send(text)
      waiting.push({ height, text })
      if (waiting.length > EVENTS_WAITING_MAX) waiting.shift()
      const last = height - blocks
      for (const event of waiting) if (event.height <= last) send(event.text)
      waiting = waiting.filter((event) => event.height > last)
    },
  }
}

/** The height of a block or log that an event tells of; null for a pending transaction. */
function readEvent(text: string): { height: number | null; isLog: boolean } {
  const { result } = JSON.parse(text).params
  if (typeof result !== 'object' || result === null) return { height: null, isLog: false }
  const { number, blockNumber, topics } = result
  const height = blockNumber ?? number
  return {
    height: typeof height === 'string' ? Number(height) : null,
    isLog: Array.isArray(topics),
  }
}
