import type {
  SocketEnd,
  SocketListener,
  SocketRequest,
  Sockets,
} from '../../../src/ports/sockets.ts'

type Call = { id: number; method: string; params: unknown[] }

/** One connection that was asked for, to be driven by the test. */
export type ScriptedSocket = {
  url: string
  headers: Readonly<Record<string, string>>
  state: 'opening' | 'open' | 'closed'
  /** Calls that came over it, in order. */
  calls: Call[]
  /** Opens it, and leaves calls unanswered. */
  accept(): void
  /** Opens it as a node of this chain would, that grants the subscription it is asked for. */
  serve(chainId: number): void
  /** Announces a block to the subscription that `serve` granted. */
  announce(block: unknown): void
  /** Says a text, or anything else as JSON. */
  say(message: unknown): void
  /** Ends it from the other side, or before it opened. */
  drop(reason?: SocketEnd): void
}

export type ScriptedSockets = Sockets & {
  /** Every connection asked for, in order. */
  all: ScriptedSocket[]
  /** The connections that are not closed. */
  live(): ScriptedSocket[]
  /** Called for each connection soon after it was asked for; by default it stays opening. */
  auto: (socket: ScriptedSocket) => void
}

const SUBSCRIPTION = '0x5eed'

/** The way out over WebSockets, played by hand. */
export function scriptedSockets(): ScriptedSockets {
  const sockets: ScriptedSockets = {
    all: [],
    live: () => sockets.all.filter(({ state }) => state !== 'closed'),
    auto: () => {},
    open(request, listener) {
      const { socket, end, take } = scriptedSocket(request, listener)
      sockets.all.push(socket)
      queueMicrotask(() => sockets.auto(socket))
      return { send: take, close: () => end('closed') }
    },
  }
  return sockets
}

function scriptedSocket({ url, headers }: SocketRequest, listener: SocketListener) {
  let served: number | null = null

  const end = (reason: SocketEnd) => {
    if (socket.state === 'closed') return
    socket.state = 'closed'
    queueMicrotask(() => listener.closed(reason))
  }

  const take = (text: string) => {
    if (socket.state !== 'open') return
    const call = JSON.parse(text) as Call
    socket.calls.push(call)
    if (served === null) return
    const result = call.method === 'eth_chainId' ? `0x${served.toString(16)}` : SUBSCRIPTION
    queueMicrotask(() => socket.say({ jsonrpc: '2.0', id: call.id, result }))
  }

  const socket: ScriptedSocket = {
    url,
    headers,
    state: 'opening',
    calls: [],
    accept() {
      if (socket.state !== 'opening') return
      socket.state = 'open'
      listener.opened()
    },
    serve(chainId) {
      served = chainId
      socket.accept()
    },
    announce: (block) => socket.say(announcement(block)),
    say(message) {
      if (socket.state !== 'open') return
      listener.received(typeof message === 'string' ? message : JSON.stringify(message))
    },
    drop: (reason) => end(reason ?? (socket.state === 'opening' ? 'unreachable' : 'lost')),
  }
  return { socket, end, take }
}

/** A notification of a node to a subscription of new heads. */
export function announcement(block: unknown, subscription = SUBSCRIPTION) {
  return { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: block } }
}
