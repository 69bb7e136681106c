import type { EgressOutcome, EgressRequest } from '../../../src/ports/egress.ts'
import { openEgress } from '../../../src/system/egress/egress.ts'
import { type Connect, openConnector, type Target } from '../../../src/system/http1/connector.ts'
import { type Authority, type Certificate, makeAuthority } from '../basics/certificates.ts'
import { testClock } from '../basics/test-clock.ts'
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts'

/** What a test of the way out works with. Nothing of it ever leaves this machine. */
export type EgressBench = ReturnType<typeof openEgressBench>

type Options = {
  allowPrivate?: boolean
  resolve?: (name: string) => Promise<readonly string[]>
  /** What this machine calls its own, besides loopback. */
  readOwn?: () => readonly string[]
  /** Puts something between the driver and the connections to this machine. */
  through?: (connect: Connect) => Connect
}

type Server = Pick<ScriptedServer, 'url'>

export const TIMEOUT_MS = 10_000

/** Names lead here unless a test says otherwise. */
const HERE = '127.0.0.1'

const same = (connect: Connect) => connect

let authority: Authority | null = null

/** Making keys takes a while, so all tests of a file share one authority. */
export function testAuthority(): Authority {
  authority ??= makeAuthority()
  return authority
}

export function openEgressBench(options: Options = {}) {
  const { allowPrivate = true, resolve = async () => [HERE], through = same } = options
  const { readOwn = () => [] } = options
  const clock = testClock()
  const servers: ScriptedServer[] = []
  const dialled: Target[] = []
  const connector = openConnector({ ca: [testAuthority().cert], abandonedMax: 8 })
  /** Whatever address is asked for, it is this machine that answers. */
  const connect: Connect = (target, listener) => {
    dialled.push(target)
    return connector(
      { ...target, address: HERE },
      {
        ...listener,
        opened(connection) {
          Object.defineProperty(connection, 'remoteAddress', { value: target.address })
          listener.opened(connection)
        },
      },
    )
  }
  const egress = openEgress({ clock, allowPrivate, resolve, readOwn, connect: through(connect) })
  const serve = (script: Parameters<typeof startScriptedServer>[0], tls?: Certificate) => {
    const server = startScriptedServer(script, tls)
    servers.push(server)
    return server
  }
  return {
    clock,
    egress,
    dialled,
    serve,
    /** Answers every request with these bytes. */
    serveBytes: (...parts: (string | Uint8Array)[]) =>
      serve({ onRequest: (peer) => peer.send(...parts) }),
    post(server: Server, body = '{}', more: Partial<EgressRequest> = {}): Promise<EgressOutcome> {
      const request = {
        url: server.url,
        teamId: 'team_a',
        body,
        headers: {},
        timeoutMs: TIMEOUT_MS,
      }
      return egress.post({ ...request, ...more })
    },
    clear() {
      egress.close()
      for (const server of servers.splice(0)) server.stop()
    },
  }
}

/** The server under a name. */
export function named(name: string, server: Server): Server {
  return { url: server.url.replace(HERE, name) }
}
