import type { Outbound, OutboundRequest } from '../ports/outbound.ts'

/** The runtime knows `proxy: false` (and nothing else turns the proxy off), its types do not. */
type FetchInit = Omit<BunFetchRequestInit, 'proxy'> & { proxy: false }

/**
 * POST over the runtime's own client, with its pool of kept connections. The runtime holds at
 * most BUN_CONFIG_MAX_HTTP_REQUESTS in flight, which must be set before the process starts.
 */
export function fetchOutbound(): Outbound {
  return { post }
}

async function post({ url, body, headers, signal }: OutboundRequest): Promise<Response> {
  const init: FetchInit = {
    method: 'POST',
    body,
    headers,
    signal,
    // A redirect would carry the call, and perhaps its credentials, to a host nobody configured.
    redirect: 'manual',
    // Proxy variables of the environment are for other programs: our hosts are configured.
    proxy: false,
    keepalive: true,
    decompress: true,
  }
  const response = await fetch(url, init as BunFetchRequestInit)

  // The body comes decompressed, but the headers still describe the compressed bytes; passed
  // on, they would make a client wait for or cut off what it reads.
  if (response.headers.has('content-encoding')) {
    response.headers.delete('content-encoding')
    response.headers.delete('content-length')
  }
  return response
}
