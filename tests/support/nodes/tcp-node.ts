import { createServer, type Server, type Socket } from 'node:net'
import { answerBody, type FakeNode, startFakeNode } from './fake-node.ts'

/** Bytes that go over the wire instead of the node's answer. */
export type Sabotage = {
  bytes: string | Uint8Array
  /** `end` closes properly, `reset` breaks off, `keep` leaves the connection open. */
  ending: 'end' | 'reset' | 'keep'
}

type Call = { id: unknown; method: string; params: unknown[] }

/** A fake node on bare TCP, which can refuse connections and send bytes no server would. */
export type TcpNode = FakeNode & {
  /** Takes over the bytes of an answer when it returns some; null lets the node answer. */
  sabotage: ((call: Call, body: string) => Sabotage | null) | null
  /** Refuses connections and breaks those that are open. */
  cut(): void
  /** Takes connections again, on the same port. */
  mend(): Promise<void>
  /** Connections that are open. */
  connections(): number
}

export async function startTcpNode(name = 'tcp'): Promise<TcpNode> {
  const node = startFakeNode(name) as TcpNode
  const stopNode = node.stop
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let port = 0

  const listen = async () => {
    const fresh = createServer((socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
      serve(node, socket)
    })
    await new Promise<void>((resolve) => fresh.listen(port, '127.0.0.1', resolve))
    const address = fresh.address()
    port = typeof address === 'object' ? (address?.port ?? 0) : 0
    server = fresh
  }

  node.sabotage = null
  node.cut = () => {
    server?.close()
    server = null
    for (const socket of sockets) socket.resetAndDestroy()
  }
  node.mend = async () => {
    if (!server) await listen()
  }
  node.connections = () => sockets.size
  node.stop = () => {
    node.cut()
    stopNode()
  }
  await listen()
  node.url = `http://127.0.0.1:${port}/secret-path-of-${name}`
  return node
}

/** An answer of status 200 with these headers and no others. */
export function httpAnswer(body: string, headers: Record<string, string>): string {
  return `${httpHead(200, Object.entries(headers))}${body}`
}

function httpHead(status: number, headers: Iterable<[string, string]>): string {
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`
}

/** Reads requests off one connection and answers them one after the other. */
function serve(node: TcpNode, socket: Socket): void {
  let waiting: Buffer = Buffer.alloc(0)
  let last = Promise.resolve()
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    for (;;) {
      const request = takeRequest(waiting)
      if (!request) return
      waiting = waiting.subarray(request.length)
      last = last.then(() => answer(node, socket, request.body)).catch(() => {})
    }
  })
}

function takeRequest(bytes: Buffer): { body: string; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = bytes.subarray(0, headEnd).toString('latin1')
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const end = headEnd + 4 + length
  if (bytes.length < end) return null
  return { body: bytes.subarray(headEnd + 4, end).toString('utf8'), length: end }
}

async function answer(node: TcpNode, socket: Socket, body: string): Promise<void> {
  const parsed = JSON.parse(body) as Call | Call[]
  const first = Array.isArray(parsed) ? parsed[0] : parsed
  const sabotage = first ? (node.sabotage?.(first, body) ?? null) : null
  if (!sabotage) {
    const response = await answerBody(node, body, new Headers())
    const bytes = Buffer.from(await response.arrayBuffer())
    const kept = [...response.headers].filter(([name]) => !/-encoding|-length/.test(name))
    const head = httpHead(response.status, [...kept, ['content-length', String(bytes.length)]])
    if (!socket.destroyed) socket.write(Buffer.concat([Buffer.from(head), bytes]))
    return
  }
  // Calls that never reach the fake node are counted all the same.
  node.calls.push({ ...(first as Call), headers: new Headers() })
  await new Promise<void>((resolve) => void socket.write(sabotage.bytes, () => resolve()))
  if (sabotage.ending === 'end') socket.end()
  if (sabotage.ending === 'reset') socket.resetAndDestroy()
}
