import type { Server, ServerWebSocket } from 'bun'
import { systemClock } from '../system/system-clock.ts'
import { answerAsleep, FIRST_SLOT, SLOTS_AT_START } from './solana-asleep.ts'
import type { ServingNeeds } from './solana-serve.ts'
import type { Listener } from './solana-subscriptions.ts'

/**
 * The development ledger as a process of its own: JSON-RPC by POST and by WebSocket on one
 * loopback port, which is told to the parent in one line. It lives as long as its parent holds
 * the other end of its standard input. Started by solana-ledger.ts.
 */

/** Controls may set thousands of accounts in one call. */
const BODY_BYTES_MAX = 16 * 1_048_576

/** A listener that reads nothing is cut off before its unread news fill the memory. */
const UNREAD_BYTES_MAX = 64 * 1_048_576

/** The runtime counts a waiting handler as idle too, so this outlasts every call. */
const IDLE_S = 120

const [slotTimeMs = Number.NaN] = process.argv.slice(2).map(Number)

// Ctrl-C reaches the whole group of processes; the parent still wants its ledger while it stops.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()

type Ledger = ServingNeeds & { serveSolana: typeof import('./solana-serve.ts').serveSolana }

const clock = systemClock()
const startedAtMs = clock.monotonicMs()
let awake: Promise<Ledger> | null = null

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

/** Slots go by whether or not somebody looks. */
function slotAsleep(): number {
  const passed = slotTimeMs === 0 ? 0 : Math.floor((clock.monotonicMs() - startedAtMs) / slotTimeMs)
  return FIRST_SLOT + SLOTS_AT_START + passed
}

/** The machine costs time and memory, so it is made for the first who needs it. */
function ledger(): Promise<Ledger> {
  awake ??= openLedger()
  return awake
}

async function openLedger(): Promise<Ledger> {
  const [{ openSolanaChain }, { openSubscriptions }, { serveSolana }] = await Promise.all([
    import('./solana-chain.ts'),
    import('./solana-subscriptions.ts'),
    import('./solana-serve.ts'),
  ])
  const chain = openSolanaChain(clock, slotAsleep())
  if (slotTimeMs > 0) clock.every(slotTimeMs, chain.advance)
  return { chain, subscriptions: openSubscriptions(chain), serveSolana }
}

async function answerPost(request: Request, upgrader: Server<undefined>) {
  if (upgrader.upgrade(request)) return undefined
  if (request.method !== 'POST') {
    return new Response(null, { status: 405, headers: { allow: 'POST' } })
  }
  const text = await request.text()
  const early = awake === null ? answerAsleep(text, slotAsleep()) : null
  const answer = early ?? (await answerAwake(text, null))
  return new Response(answer, { headers: { 'content-type': 'application/json' } })
}

async function answerAwake(text: string, listener: Listener | null): Promise<string> {
  const open = await ledger()
  return open.serveSolana(open, text, listener)
}

async function answerMessage(socket: ServerWebSocket<undefined>, message: string | Buffer) {
  const answer = await answerAwake(String(message), socket)
  if (answer !== '') socket.send(answer)
  if (socket.readyState !== WebSocket.OPEN) await forgetSocket(socket)
}

async function forgetSocket(socket: ServerWebSocket<undefined>) {
  if (awake !== null) (await awake).subscriptions.release(socket)
}
