import type { FakeNode } from './fake-node.ts'

/** The WebSocket side of a fake node: grants subscriptions, and tells what it is given. */
export type WsNode = {
  url: string
  /** Subscriptions that are open, by kind such as `newHeads`. */
  open(kind: string): number
  /** Sends a result to every subscription of a kind. */
  tell(kind: string, result: unknown): void
  /** Ends all connections. */
  drop(): void
  stop(): void
}

type Socket = { send(text: string): unknown; terminate(): void; data: { kinds: string[] } }

export function startWsNode(node: FakeNode): WsNode {
  const sockets = new Set<Socket>()
  const server = Bun.serve<{ kinds: string[] }>({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, own) =>
      own.upgrade(request, { data: { kinds: [] } }) ? undefined : new Response('no'),
    websocket: {
      open: (socket) => void sockets.add(socket),
      close: (socket) => void sockets.delete(socket),
      message(socket, text) {
        const { id, method, params } = JSON.parse(String(text))
        let result: unknown = `0x${node.chainId.toString(16)}`
        if (method === 'eth_subscribe') {
          const kind = JSON.stringify(params)
          result = `0x${socket.data.kinds.push(kind)}`
        }
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
      },
    },
  })
  return {
    url: `ws://127.0.0.1:${server.port}/`,
    open: (kind) =>
      [...sockets].flatMap(({ data }) => data.kinds).filter((one) => one === JSON.stringify([kind]))
        .length,
    tell(kind, result) {
      for (const socket of sockets) {
        for (const [at, one] of socket.data.kinds.entries()) {
          if (JSON.parse(one).join() !== kind) continue
          const params = { subscription: `0x${at + 1}`, result }
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
        }
      }
    },
    drop() {
      for (const socket of sockets) socket.terminate()
    },
    stop: () => void server.stop(true),
  }
}
