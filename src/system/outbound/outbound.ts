import { Failure } from '../../core/errors.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ports/outbound.ts'
import { openSocketOutbound } from './socket-outbound.ts'

/** The runtime knows `proxy: false` (and nothing else turns the proxy off), its types do not. */
type FetchInit = Omit<BunFetchRequestInit, 'proxy'> & { proxy: false }

export type ForwardedRequest = {
  method: string
  headers: Headers
  body: string | Uint8Array
  signal?: AbortSignal
}

/** The runtime's words for a connection that never came about. */
const NEVER_SENT = new Set([
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'DNSException',
])

/** The runtime's word for a connection that was lost before an answer came. */
const LOST = 'ECONNRESET'

/**
 * Plain addresses are our own nodes, where every microsecond is ours: they get
 * sockets of this thread. Behind TLS the network's time rules, and the runtime's
 * client does the rest.
 */
export function openOutbound(reportBug?: (bug: unknown) => void): Outbound {
  const sockets = openSocketOutbound(reportBug)
  const runtime = openFetchOutbound()
  return {
    post(request, listener, context) {
      const { post } = request.url.startsWith('https:') ? runtime : sockets
      return post(request, listener, context)
    },
  }
}

/**
 * POST over the runtime's own client, with its pool of kept connections. It holds at
 * most BUN_CONFIG_MAX_HTTP_REQUESTS in flight, which must be set before the process starts.
 */
export function openFetchOutbound(): Outbound {
  return {
    post(request, listener, context) {
      const abort = new AbortController()
      fetchAnswer(request, abort.signal).then(
        (answer) => listener.answered(answer, context),
        (failure) => listener.lost(failure, context),
      )
      return () => abort.abort()
    },
  }
}

async function fetchAnswer(
  { url, body, headers, callHeaders, repeatable }: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const init: FetchInit = {
    method: 'POST',
    body,
    headers: { ...headers, ...callHeaders },
    signal,
    // A redirect would carry the call, and perhaps its credentials, to a host nobody configured.
    redirect: 'manual',
    // Proxy variables of the environment are for other programs: our hosts are configured.
    proxy: false,
    // A call that must not be sent twice gets a new connection, not one that may have died.
    keepalive: repeatable,
    decompress: true,
  }
  const response = await fetch(url, init as BunFetchRequestInit).catch((thrown: unknown) => {
    const code = (thrown as { code?: unknown } | null)?.code
    if (repeatable && code === LOST) return fetchAgain(url, init)
    const unsent = typeof code === 'string' && NEVER_SENT.has(code)
    // The thrown text may hold the address, so only the kind of fault goes on.
    throw new Failure(unsent ? 'upstream_unreachable' : 'upstream_answered_badly')
  })
  // The body comes decoded, but a declared length still describes the encoded bytes.
  const isEncoded = response.headers.has('content-encoding')
  const length = isEncoded ? null : response.headers.get('content-length')
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    length: length === null ? null : Number(length),
    whole: null,
    text: () => response.text(),
    stream: () => response.body ?? new Response('').body ?? new ReadableStream(),
  }
}

/** The connection may have been an idle one, dead for a while: the call goes out once more. */
function fetchAgain(url: string, init: FetchInit): Promise<Response> {
  return fetch(url, { ...init, keepalive: false } as BunFetchRequestInit).catch(() => {
    throw new Failure('upstream_answered_badly')
  })
}

export function requestOverSocket(
  socket: string,
  path: string,
  { method, headers, body, signal }: ForwardedRequest,
): Promise<Response> {
  const init = { method, headers, signal, unix: socket, redirect: 'manual', decompress: false }
  const withBody = body.length === 0 ? init : { ...init, body }
  return fetch(`http://localhost${path}`, { ...withBody, proxy: false } as BunFetchRequestInit)
}
