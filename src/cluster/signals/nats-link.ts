import {
  type Authenticator,
  credsAuthenticator,
  type NatsConnection,
  NatsConnectionImpl,
  setTransportFactory,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'
import { Failure } from '../../core/errors.ts'
import type { NatsServer } from '../../core/servers/parse-nats-servers.ts'
import { type Link, reasonOf } from './linked-wire.ts'
import { FRAME_BYTES_MAX } from './signal-frame.ts'

export type NatsAccess = {
  subject: string
  /** A `.creds` file: a user's JWT and the seed of its key. Read anew for each connection. */
  credentialsFile: string | undefined
  /** PEM of the authorities that vouch for the servers, instead of the machine's own. */
  caFile: string | undefined
}

const CONNECT_MS = 3000

/** A server that leaves two of these pings without an answer is given up. */
const PING_MS = 2000
const PINGS_UNANSWERED_MAX = 2

const FILE_BYTES_MAX = 1_048_576

const decoder = new TextDecoder()

/** Connects, and fails with a reason unless texts can both be sent and be heard. */
export async function openNatsLink(
  server: NatsServer,
  access: NatsAccess,
  hear: (text: string) => void,
): Promise<Link> {
  const connection = await connectTo(server, access)
  const waiting: Waiting = new Set()
  let fault: string | null = null

  const giveUp = (reason: string) => {
    fault ??= reason
    return connection.close()
  }
  const ended = connection.closed().then((thrown) => {
    fault ??= thrown ? reasonOf(thrown) : 'the server closed the connection'
    for (const fail of waiting) fail(unavailable(fault))
    return fault
  })
  const send = async (text: string) => {
    if (fault !== null) throw unavailable(fault)
    connection.publish(access.subject, text)
    await arrival(connection, waiting)
  }
  watch(connection, giveUp)
  connection.subscribe(access.subject, {
    callback: (refused, message) => {
      // An empty message is another process's try whether it may publish.
      if (!refused && message.data.length > 0) hear(message.string())
    },
  })

  try {
    const { max_payload: payloadBytesMax = 0 } = connection.info ?? {}
    if (payloadBytesMax < FRAME_BYTES_MAX) throw unavailable(`max_payload is ${payloadBytesMax}`)
    await send('')
    // Refusals of what came before have been read when a second round trip is over.
    await arrival(connection, waiting)
    if (fault !== null) throw unavailable(fault)
  } catch (thrown) {
    await giveUp(reasonOf(thrown))
    throw thrown
  }
  return { send, ended, close: () => giveUp('closed') }
}

type Waiting = Set<(failure: Failure) => void>

async function connectTo(server: NatsServer, access: NatsAccess): Promise<NatsConnection> {
  const ca = await authoritiesOf(access)
  const authenticator = await authenticatorOf(server, access)
  setTransportFactory({ factory: newTransport, dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect({
    name: 'headgate',
    servers: [`${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`],
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    noEcho: true,
    // The library keeps all that is published meanwhile; we begin anew instead, with any server.
    reconnect: false,
    ignoreClusterUpdates: true,
    ...(ca !== null ? { tls: { ca } } : server.isTlsRequired ? { tls: {} } : {}),
    ...(authenticator ? { authenticator } : {}),
  })
}

/**
 * The library's transport leaves the socket of an attempt open that took too long: a server that
 * hangs would get one more with each attempt.
 */
function newTransport(): NodeTransport {
  const transport = new NodeTransport()
  const close = transport.close.bind(transport)
  transport.close = async (error) => {
    if (transport.connected) await close(error)
    else transport.discard()
  }
  return transport
}

async function authoritiesOf({ caFile }: NatsAccess): Promise<string | null> {
  if (caFile === undefined) return null
  const ca = decoder.decode(await read(caFile, 'natsCa'))
  // Without one the library would trust the machine's own authorities instead.
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw unavailable('natsCa holds no certificate')
  return ca
}

async function authenticatorOf(
  { login }: NatsServer,
  { credentialsFile }: NatsAccess,
): Promise<Authenticator | null> {
  if (credentialsFile !== undefined) {
    const sign = credsAuthenticator(await read(credentialsFile, 'natsCredentials'))
    return (nonce) => {
      try {
        return sign(nonce)
      } catch {
        throw unavailable('natsCredentials is no file of credentials')
      }
    }
  }
  if (!login) return null
  if ('token' in login) return tokenAuthenticator(login.token)
  return usernamePasswordAuthenticator(login.user, login.password)
}

async function read(file: string, option: string): Promise<Uint8Array> {
  try {
    return await Bun.file(file).slice(0, FILE_BYTES_MAX).bytes()
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : 'unknown reason'
    throw unavailable(`${option} cannot be read (${code})`)
  }
}

/** Ends a connection on which the server reports an error or says nothing at all. */
async function watch(
  connection: NatsConnection,
  giveUp: (reason: string) => Promise<void>,
): Promise<void> {
  for await (const status of connection.status()) {
    // Closing waits for this loop, so it is not waited for.
    if (status.type === 'error') giveUp(reasonOf(status.error))
    if (status.type === 'staleConnection') giveUp('the server does not answer')
  }
}

/** Done when the server has read all that was sent before. */
function arrival(connection: NatsConnection, waiting: Waiting): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (failure: Failure) => {
      waiting.delete(fail)
      reject(failure)
    }
    waiting.add(fail)
    const done = () => {
      waiting.delete(fail)
      resolve()
    }
    connection.flush().then(done, (thrown) => fail(unavailable(reasonOf(thrown))))
  })
}

function unavailable(reason: string): Failure {
  return new Failure('signals_unavailable', { reason })
}
