import { isIP } from 'node:net'

/** `[IPv6]:port` or `[IPv6]`. */
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/

/** `IPv4:port`: an IPv6 address has more colons. */
const WITH_PORT = /^([^:]+):\d{1,5}$/

/**
 * Behind a trusted proxy, the hop it added last is the only one nobody else can write. Some
 * proxies add the client's port, which changes with each connection and names nobody. What is
 * no address at all is not believed.
 */
export function forwardedAddress(forwardedFor: string | null): string | null {
  const hop = forwardedFor?.split(',').at(-1)?.trim() ?? ''
  const bare = BRACKETED.exec(hop)?.[1] ?? WITH_PORT.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? null : bare
}
