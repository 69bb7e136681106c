import type { Server, ServerWebSocket } from 'bun'
import type { Clock } from './clock.ts'

export type ChildSocket = ServerWebSocket<{ path: string }>

export type ChildAnswers = {
  /** Null: the server fails, without an answer. */
  post(text: string, path: string): Promise<string | null>
  message(socket: ChildSocket, text: string): Promise<void>
  closed(socket: ChildSocket): Promise<void>
}

export type ChildLimits = {
  bodyBytesMax: number
  /** A listener that reads nothing is cut off before what it did not read fills the memory. */
  unreadBytesMax: number
}

/** The runtime counts a waiting handler as idle too, so this outlasts every call. */
const IDLE_S = 120

/** A parent that was killed cannot end us, and the next one waits five seconds for our files. */
const LAST_WORK_MS_MAX = 3_000

/** Serves JSON-RPC by POST and WebSocket on a loopback port, and tells the parent which. */
export function serveChild(limits: ChildLimits, answers: ChildAnswers): void {
  const server = Bun.serve<{ path: string }>({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    reusePort: false,
    maxRequestBodySize: limits.bodyBytesMax,
    idleTimeout: IDLE_S,
    fetch: (request, upgrader) => answerPost(answers, request, upgrader),
    websocket: {
      maxPayloadLength: limits.bodyBytesMax,
      backpressureLimit: limits.unreadBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_S,
      async message(socket, message) {
        await answers.message(socket, String(message))
        // It may have gone while it was being answered.
        if (socket.readyState !== WebSocket.OPEN) await answers.closed(socket)
      },
      close: answers.closed,
    },
  })
  process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)
}

/**
 * To be called first: a parent that ends before the chain is open must not leave it behind. The
 * last work before the end is given up when it takes too long.
 */
export function liveWithParent(clock: Clock, lastWork: () => void | Promise<void>): void {
  const exit = () => process.exit(0)
  const end = () => {
    clock.after(LAST_WORK_MS_MAX, exit)
    void Promise.try(lastWork).finally(exit)
  }
  // Ctrl-C reaches the whole group of processes; the parent still wants its chain while it stops.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  process.stdin.on('end', end)
  process.stdin.on('error', end)
  process.stdin.resume()
}

async function answerPost(
  { post }: ChildAnswers,
  request: Request,
  upgrader: Server<{ path: string }>,
): Promise<Response | undefined> {
  const path = new URL(request.url).pathname
  if (upgrader.upgrade(request, { data: { path } })) return undefined
  if (request.method !== 'POST') {
    return new Response(null, { status: 405, headers: { allow: 'POST' } })
  }
  const answer = await post(await request.text(), path)
  if (answer === null) return new Response('the node fails\n', { status: 503 })
  return new Response(answer, { headers: { 'content-type': 'application/json' } })
}
