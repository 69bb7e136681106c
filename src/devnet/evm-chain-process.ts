import type { Server, ServerWebSocket } from 'bun'
import { openEdrChain } from './edr-chain.ts'
import { serveChain } from './serve-chain.ts'
import { subscriptions } from './subscriptions.ts'

/**
 * The development chain as a process of its own: JSON-RPC by POST and by WebSocket on one
 * loopback port, which is told to the parent in one line. It lives as long as its parent holds
 * the other end of its standard input. Started by evm-chain.ts.
 */

const BODY_BYTES_MAX = 5 * 1_048_576

/** A listener that reads nothing is cut off before its unread heads fill the memory. */
const UNREAD_BYTES_MAX = 16 * 1_048_576

/** The runtime counts a waiting handler as idle too, so this outlasts every call. */
const IDLE_S = 120

const [blockTimeMs = Number.NaN, chainId = Number.NaN] = process.argv.slice(2).map(Number)

// Ctrl-C reaches the whole group of processes; the parent still wants its chain while it stops.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()

const listening = subscriptions()
const chain = await openEdrChain({ chainId, blockTimeMs, onEvent: listening.onEvent })

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  reusePort: false,
  maxRequestBodySize: BODY_BYTES_MAX,
  idleTimeout: IDLE_S,
  fetch: answerPost,
  websocket: {
    maxPayloadLength: BODY_BYTES_MAX,
    backpressureLimit: UNREAD_BYTES_MAX,
    closeOnBackpressureLimit: true,
    idleTimeout: IDLE_S,
    message: answerMessage,
    close: forgetSocket,
  },
})
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)

async function answerPost(request: Request, upgrader: Server<undefined>) {
  if (upgrader.upgrade(request)) return undefined
  if (request.method !== 'POST') {
    return new Response(null, { status: 405, headers: { allow: 'POST' } })
  }
  const answer = await serveChain(chain, await request.text(), null)
  return new Response(answer, { headers: { 'content-type': 'application/json' } })
}

async function answerMessage(socket: ServerWebSocket<undefined>, message: string | Buffer) {
  const subscribed: string[] = []
  const answer = await serveChain(chain, String(message), {
    full: listening.isFull(),
    subscribed: (id) => subscribed.push(id),
    unsubscribed: listening.release,
  })

  // First the answer, then the events: a client drops what comes for an id it does not know.
  socket.send(answer)
  for (const id of subscribed) listening.claim(id, socket)
  if (socket.readyState !== WebSocket.OPEN) await forgetSocket(socket)
}

async function forgetSocket(socket: ServerWebSocket<undefined>) {
  for (const id of listening.idsOf(socket)) {
    listening.release(id)
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: [id] }
    await chain.handleRequest(JSON.stringify(request))
  }
}
