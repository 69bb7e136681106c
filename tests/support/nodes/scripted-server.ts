import type { Socket } from 'bun'
import type { Certificate } from '../basics/certificates.ts'

export { until } from '../basics/until.ts'

/** One connection, seen from the server. */
export type Peer = {
  /** In order of arrival, from 1. */
  number: number
  /** Whole requests that came so far. */
  requests: Asked[]
  /** Bytes that the kernel has taken of what was sent. */
  sentBytes: number
  /** It is over, whoever hung up. */
  closed: boolean
  send(...parts: (string | Uint8Array)[]): void
  /** Says goodbye once everything is out. */
  end(): void
  /** Says goodbye and waits for the other side to do so; only then it is closed. */
  hangUp(): void
  /** Tears the connection down. */
  reset(): void
  pause(): void
  resume(): void
}

export type Asked = { head: string; body: Buffer }

export type ScriptedServer = {
  url: string
  peers: Peer[]
  /** Whole requests over all connections. */
  requests(): Asked[]
  stop(): void
}

type Script = {
  onOpen?(peer: Peer): void
  /** A request has come whole; the default is to say nothing. */
  onRequest?(peer: Peer, request: Asked): void
}

type Line = { peer: Peer; received: Buffer[]; outgoing: Buffer[]; ending: boolean }

const STILL_ROUNDS = 25

/** A server that sends the very bytes it is told to, HTTP or not; over TLS with a certificate. */
export function startScriptedServer(script: Script, tls?: Certificate): ScriptedServer {
  const peers: Peer[] = []
  const listener = Bun.listen<Line>({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls ? { tls } : {}),
    socket: {
      open(socket) {
        const line = openLine(socket, peers.length + 1)
        socket.data = line
        peers.push(line.peer)
        script.onOpen?.(line.peer)
      },
      data(socket, bytes) {
        const { peer, received } = socket.data
        received.push(bytes)
        for (let request = cutRequest(received); request; request = cutRequest(received)) {
          peer.requests.push(request)
          script.onRequest?.(peer, request)
        }
      },
      drain: flush,
      close(socket) {
        // One whose TLS never came about was never opened.
        if (socket.data) socket.data.peer.closed = true
      },
    },
  })
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${listener.port}/`,
    peers,
    requests: () => peers.flatMap((peer) => peer.requests),
    stop: () => listener.stop(true),
  }
}

/** An answer whose length is declared. */
export function answerText(body: string, headers = ''): string {
  return `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Waits until a number has stopped moving, and returns it. */
export async function atRest(read: () => number): Promise<number> {
  let last = read()
  for (let still = 0; still < STILL_ROUNDS; still++) {
    await Bun.sleep(10)
    if (read() !== last) still = 0
    last = read()
  }
  return last
}

function openLine(socket: Socket<Line>, number: number): Line {
  const peer: Peer = {
    number,
    requests: [],
    sentBytes: 0,
    closed: false,
    send(...parts) {
      for (const part of parts) line.outgoing.push(Buffer.from(part as string))
      flush(socket)
    },
    end() {
      line.ending = true
      flush(socket)
    },
    hangUp: () => void socket.shutdown(),
    reset: () => socket.terminate(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
  const line: Line = { peer, received: [], outgoing: [], ending: false }
  return line
}

function flush(socket: Socket<Line>): void {
  const { outgoing, peer, ending } = socket.data
  for (let next = outgoing[0]; next; next = outgoing[0]) {
    const written = Math.max(0, socket.write(next))
    peer.sentBytes += written
    if (written < next.length) {
      outgoing[0] = next.subarray(written)
      return
    }
    outgoing.shift()
  }
  if (ending) socket.end()
}

/** Takes the first whole request off what came, and leaves the rest. */
function cutRequest(received: Buffer[]): Asked | null {
  const first = received[0]
  if (!first) return null
  // A long body comes in many pieces: they are joined only when they may suffice.
  const end = first.indexOf('\r\n\r\n')
  if (end < 0) {
    if (received.length > 1) received.splice(0, received.length, Buffer.concat(received))
    return received[0]?.includes('\r\n\r\n') ? cutRequest(received) : null
  }
  const head = first.toString('latin1', 0, end)
  const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const bytes = received.reduce((sum, piece) => sum + piece.length, 0)
  if (bytes < end + 4 + bodyBytes) return null
  const all = Buffer.concat(received)
  const rest = all.subarray(end + 4 + bodyBytes)
  received.splice(0, received.length, ...(rest.length > 0 ? [rest] : []))
  return { head, body: all.subarray(end + 4, end + 4 + bodyBytes) }
}
