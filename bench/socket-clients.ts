import { serveUntilClosed } from './serve-until-closed.ts'

/** The clients of P17: so many more at an address, each of which sends these calls. */
export type OpenOrder = { url: string; count: number; calls: string[] }

/** The frames that all clients of an address have got, and when the last of them came. */
export type Received = { frames: string[]; lastAtMs: number }

/**
 * Opens WebSocket clients when it is told to, and tells when all of them have got so many frames.
 * They do not look into them. Prints its port, ends when its standard input does.
 */
type Group = {
  clients: number
  /** Those who have all that is waited for. */
  done: number
  wanted: number
  /** The frames of the first client. */
  frames: string[]
  lastAtMs: number
  complete: PromiseWithResolvers<void>
  /** By client, since the last question. */
  counts: Uint32Array
}

const CLIENTS_MAX = 10_000

const groups = new Map<string, Group>()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  routes: {
    '/open': async (request) => {
      const { url, count, calls } = (await request.json()) as OpenOrder
      for (let at = 0; at < count; at++) await open(groupOf(url), url, calls)
      return new Response('open')
    },
    '/expect': async (request) => {
      const { url, frames } = (await request.json()) as { url: string; frames: number }
      expect(groupOf(url), frames)
      return new Response('expected')
    },
    '/received': async (request) => {
      const { url } = (await request.json()) as { url: string }
      const group = groupOf(url)
      await group.complete.promise
      return Response.json({ frames: group.frames, lastAtMs: group.lastAtMs } satisfies Received)
    },
  },
})

await serveUntilClosed(server.port)

function groupOf(url: string): Group {
  const known = groups.get(url)
  if (known) return known
  const group: Group = {
    clients: 0,
    done: 0,
    wanted: 0,
    frames: [],
    lastAtMs: 0,
    complete: Promise.withResolvers(),
    counts: new Uint32Array(CLIENTS_MAX),
  }
  groups.set(url, group)
  return group
}

function expect(group: Group, frames: number): void {
  group.done = 0
  group.wanted = frames
  group.frames = []
  group.counts.fill(0)
  group.complete = Promise.withResolvers()
}

/** Resolves when its calls are answered. */
function open(group: Group, url: string, calls: readonly string[]): Promise<void> {
  const opened = Promise.withResolvers<void>()
  const own = group.clients++
  let answers = 0
  const socket = new WebSocket(url)
  socket.onopen = () => calls.forEach((call) => void socket.send(call))
  socket.onclose = ({ code, reason }) => opened.reject(new Error(`${code} ${reason}`))
  socket.onmessage = ({ data }) => {
    if (answers < calls.length) {
      answers++
      if (answers === calls.length) opened.resolve()
      return
    }
    if (own === 0) group.frames.push(String(data))
    const count = (group.counts[own] ?? 0) + 1
    group.counts[own] = count
    if (count !== group.wanted || ++group.done < group.clients) return
    group.lastAtMs = performance.timeOrigin + performance.now()
    group.complete.resolve()
  }
  return opened.promise
}
