import type { DevnetNode } from '../../devnet-control.ts'
import type { ChildAnswers, ChildSocket } from '../../serve-child.ts'
import type { ForkableChain } from '../fork/forkable-chain.ts'
import { serveChain } from '../serve-chain.ts'
import type { subscriptions } from '../subscriptions.ts'
import type { ChainNodes, NodeEvents } from './chain-nodes.ts'

type Needs = {
  chain: ForkableChain
  nodes: ChainNodes
  listening: ReturnType<typeof subscriptions>
  /** Tells the chain that nobody hears a subscription any more. */
  release(subscriptionId: string): Promise<void>
}

/** The chain itself answers at the root, whatever its nodes are made to do. */
const ROOT = '/'

export function serveNodes({ chain, nodes, listening, release }: Needs): ChildAnswers {
  const listeners = new WeakMap<ChildSocket, NodeEvents>()
  const shownAt = async (path: string) => {
    const shown = path === ROOT ? chain : await nodes.chainOf(path.slice(ROOT.length))
    return shown && withNodeControls(shown, nodes)
  }
  const listenerOf = (socket: ChildSocket) => {
    const { path } = socket.data
    const send = (text: string) => void socket.send(text)
    const known = listeners.get(socket)
    const events = known ?? (path === ROOT ? { send } : nodes.eventsOf(path.slice(1), send))
    listeners.set(socket, events)
    return events
  }
  return {
    async post(text, path) {
      const shown = await shownAt(path)
      return shown && serveChain(shown, text, null)
    },
    async message(socket, text) {
      const subscribed: string[] = []
      const shown = await shownAt(socket.data.path)
      // A failing node ends its connections.
      if (shown === null) return socket.close()
      const answer = await serveChain(shown, text, {
        full: listening.isFull(),
        subscribed: (id) => subscribed.push(id),
        unsubscribed: listening.release,
      })
      // First the answer, then the events: a client drops what comes for an id it does not know.
      socket.send(answer)
      for (const id of subscribed) listening.claim(id, listenerOf(socket))
    },
    async closed(socket) {
      const listener = listeners.get(socket)
      if (!listener) return
      for (const id of listening.idsOf(listener)) {
        listening.release(id)
        await release(id)
      }
    },
  }
}

/** The chain with methods that break its nodes: each takes one object, checked before. */
function withNodeControls(chain: ForkableChain, nodes: ChainNodes): ForkableChain {
  return {
    async ask(method, params) {
      const [wanted] = Array.isArray(params) ? params : []
      if (method === 'headgate_stall') nodes.stall((wanted as { ms: number }).ms)
      else if (method === 'headgate_setNode') {
        const { name, behaviour, blocks = 1 } = wanted as DevnetNode
        nodes.change(name, { behaviour, blocks: behaviour === 'lag' ? blocks : 0 })
      } else if (method !== 'headgate_nodes') return chain.ask(method, params)
      const { names = [] } = (wanted ?? {}) as { names?: readonly string[] }
      return JSON.stringify({ result: nodes.list(names) })
    },
  }
}
