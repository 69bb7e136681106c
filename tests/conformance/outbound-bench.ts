import type { Outbound, OutboundAnswer } from '../../src/ports/outbound.ts'
import { type ScriptedServer, startScriptedServer } from '../support/nodes/scripted-server.ts'

/** A call under way, as a promise. */
export type OutboundCall = { answer: Promise<OutboundAnswer>; cancel(): void }

/** What an exam works with: servers made on the spot, and the driver to ask them with. */
export type Bench = {
  serve: typeof startScriptedServer
  /** Answers every request with these bytes. */
  serveBytes(...parts: (string | Uint8Array)[]): ScriptedServer
  ask(server: { url: string }, body?: string, extra?: Extra): OutboundCall
  /** Stops the servers. */
  clear(): void
}

type Extra = {
  headers?: Record<string, string>
  callHeaders?: Record<string, string>
  repeatable?: boolean
  path?: string
}

/** Characters of every length, and one that JSON would rather not see. */
export const MIXED_TEXT = '{"a":"\u00e9 \u20ac \ufffd \u{1f600} \u0000"}\n'

export const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

export function openBench(outbound: Outbound): Bench {
  const servers: ScriptedServer[] = []
  const serve: Bench['serve'] = (script) => {
    const server = startScriptedServer(script)
    servers.push(server)
    return server
  }
  return {
    serve,
    serveBytes: (...parts) => serve({ onRequest: (peer) => peer.send(...parts) }),
    ask(server, body = 'x', extra = {}) {
      const { headers = {}, callHeaders = null, repeatable = true, path = '' } = extra
      const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
      const request = { url: `${server.url}${path}`, body, headers, callHeaders, repeatable }
      const cancel = outbound.post(request, { answered: resolve, lost: reject }, null)
      return { answer: promise, cancel }
    },
    clear() {
      for (const server of servers.splice(0)) server.stop()
    },
  }
}

/** Reads a body as a stream, to its end. */
export async function readAll(answer: OutboundAnswer): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const reader = answer.stream().getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value)
  }
  return Buffer.concat(parts)
}

/** The two ways to read a body. */
export const READERS: [how: string, read: (answer: OutboundAnswer) => Promise<string>][] = [
  ['as text', (answer) => answer.text()],
  ['as a stream', async (answer) => (await readAll(answer)).toString()],
]
