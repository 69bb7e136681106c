import type { SocketEnd, SocketListener, Sockets } from '../../../src/ports/sockets.ts'
import type { SimBlock } from '../chain-block.ts'
import type { Life } from '../process-life.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { announcedText, answerCall } from './node-answers.ts'
import type { FakeHead, SimNode } from './sim-node.ts'

type Needs = { clock: VirtualClock; nodes: readonly SimNode[] }

const SUBSCRIPTION = '0x5eed'

/** The way out over WebSockets of one process. */
export function simSockets({ clock, nodes }: Needs, life: Life): Sockets {
  const byHost = new Map(nodes.map((node) => [node.plan.name, node]))
  return {
    open({ url }, listener) {
      const node = byHost.get(new URL(url).hostname)
      if (!node) throw new Error(`no node at ${url}`)
      return connect(clock, life, node, listener)
    },
  }
}

function connect(clock: VirtualClock, life: Life, node: SimNode, listener: SocketListener) {
  let state: 'opening' | 'open' | 'closed' = 'opening'
  let subscribed = false
  let lastAtMs = 0
  /** Messages over one socket arrive in their order. */
  const later = (work: () => void) => {
    const latencyMs = Math.ceil(node.plan.latencyMs * (0.5 + node.chance.fraction()))
    lastAtMs = Math.max(lastAtMs, clock.elapsedMs() + latencyMs)
    clock.after(lastAtMs - clock.elapsedMs(), work, life)
  }
  const end = (reason: SocketEnd) => {
    if (state === 'closed') return
    state = 'closed'
    node.announce.delete(announce)
    node.hangUp.delete(hangUp)
    clock.after(0, () => listener.closed(reason), life)
  }
  const say = (text: string) =>
    later(() => {
      if (state === 'open') listener.received(text)
    })
  const announce = (head: SimBlock | FakeHead) => {
    if (!subscribed || node.has('socket_silent')) return
    const result = announcedText(head)
    say(
      `{"jsonrpc":"2.0","method":"eth_subscription",` +
        `"params":{"subscription":"${SUBSCRIPTION}","result":${result}}}`,
    )
  }
  const hangUp = () => end(state === 'opening' ? 'unreachable' : 'lost')
  node.announce.add(announce)
  node.hangUp.add(hangUp)
  later(() => {
    if (state !== 'opening') return
    if (node.has('socket_closed') || node.has('refuses')) return end('unreachable')
    state = 'open'
    listener.opened()
  })
  return {
    send(text: string) {
      if (state !== 'open') return
      const { id, method, params } = JSON.parse(text)
      const answered = answerCall(node, method, params)
      const granted = method === 'eth_subscribe' ? `"${SUBSCRIPTION}"` : null
      if (granted) subscribed = true
      if (granted === null && !('result' in answered)) return
      const result = granted ?? ('result' in answered ? answered.result : 'null')
      say(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    },
    close: () => end('closed'),
  }
}
