export type NatsServer = {
  host: string
  port: number
  /** True: nothing is said to a server without TLS. False: TLS is used where the server has it. */
  isTlsRequired: boolean
  login: { user: string; password: string } | { token: string } | null
}

const DEFAULT_PORT = 4222
const PORT_MAX = 65_535

/** A cluster of NATS has three servers or five. */
const SERVERS_MAX = 32

const FORM = 'must be nats:// or tls:// addresses with commas between them'

/**
 * The servers of `nats://user:password@a:4222,tls://token@b`, or what is wrong with the list, as
 * the end of a sentence. Nothing of the text is in it, for there may be passwords in the text.
 */
export function parseNatsServers(text: string): NatsServer[] | string {
  const addresses = text.split(',')
  if (addresses.length > SERVERS_MAX) return `must have at most ${SERVERS_MAX} servers`
  const servers: NatsServer[] = []
  for (const address of addresses) {
    const server = parseServer(address.trim())
    if (typeof server === 'string') return server
    servers.push(server)
  }
  return servers
}

function parseServer(address: string): NatsServer | string {
  // The parser of URLs leaves tabs and line ends out without a word.
  if (/[\s\p{Cc}]/u.test(address)) return FORM
  const url = URL.parse(address)
  if (!url || !/^(?:nats|tls):$/.test(url.protocol)) return FORM
  const host = hostOf(url.hostname)
  if (host === null) return 'must have a host name or an IP address in each address'
  if (!/^\/?$/.test(url.pathname) || /[?#]/.test(address)) {
    return 'must have nothing after the port of an address'
  }
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  if (port < 1 || port > PORT_MAX) return `must have ports from 1 to ${PORT_MAX}`
  const login = loginOf(url)
  if (typeof login === 'string') return login
  return { host, port, isTlsRequired: url.protocol === 'tls:', login }
}

function hostOf(hostname: string): string | null {
  // The parser of URLs has checked what stands in brackets.
  const ipv6 = /^\[(.+)\]$/.exec(hostname)?.[1]
  if (ipv6 !== undefined) return ipv6
  return /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$/.test(hostname) ? hostname : null
}

function loginOf({ username, password }: URL): NatsServer['login'] | string {
  if (username === '' && password !== '') return 'must have a user before each password'
  try {
    const first = decodeURIComponent(username)
    if (password !== '') return { user: first, password: decodeURIComponent(password) }
    return first === '' ? null : { token: first }
  } catch {
    return 'must have users, passwords and tokens with each % written as %25'
  }
}
