import type { RpcTarget } from './rpc-route.ts'

type UrlParts = { host: string; path: string }

/** Cut by hand: parsing the URL costs more than routing the request. */
export function urlParts(url: string): UrlParts {
  // Without a usable Host header, as in HTTP/1.0, the URL is the bare path.
  const hostStart = url.startsWith('/') ? 0 : url.indexOf('//') + 2
  const pathStart = url.indexOf('/', hostStart)
  const queryStart = url.indexOf('?', pathStart)
  const path = queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart)
  return { host: url.slice(hostStart, pathStart), path }
}

/** `/v2/<key>` with the network in the host, or `/<network>/v2/<key>`. */
export function rpcTarget({ host, path }: UrlParts, domain: () => string): RpcTarget | null {
  if (path === '/v2' || path.startsWith('/v2/')) {
    return { slug: hostSlug(host, domain()), key: keyOf(path.slice(4)) }
  }
  const second = path.indexOf('/', 1)
  if (second < 0) return null
  const rest = path.slice(second)
  if (rest !== '/v2' && !rest.startsWith('/v2/')) return null
  return { slug: path.slice(1, second), key: keyOf(rest.slice(4)) }
}

function keyOf(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function hostSlug(host: string, domain: string): string {
  const colon = host.lastIndexOf(':')
  const name = (colon > host.indexOf(']') ? host.slice(0, colon) : host).toLowerCase()
  if (!name.endsWith(`.${domain}`)) return ''
  return name.slice(0, -domain.length - 1)
}

/** What the runtime's router saw of a target before its dot segments were resolved. */
export type AskedPath = {
  /** Of the target as it was sent. */
  slashes: number
  /** It ends with a slash. */
  open: boolean
  /** What stands before the pattern's parameters. */
  before: string
}

/**
 * The router's patterns, one for each number of segments. The URL that a handler is shown has its
 * dot segments resolved and its backslashes turned, so that `/x/..%2fmetrics` and its kin would
 * pass by whoever guards `/metrics` in front of us. Which pattern matched tells what was sent.
 *
 * None matches `/v2/<key>` and `/<network>/v2/<key>`, as the router costs a tenth of a call: what
 * it does not know is a call or nothing.
 */
export function pathPatterns(): { pattern: string; asked: AskedPath }[] {
  const patterns = [{ pattern: '/', asked: { slashes: 1, open: true, before: '' } }]
  const add = (first: string, from: number, before: string) => {
    let pattern = first
    for (let slashes = from; slashes <= SEGMENTS_MAX; slashes++) {
      pattern += `/:s${slashes}`
      const isCall = before === '' && (slashes === 2 || slashes === 3)
      if (!isCall) patterns.push({ pattern, asked: { slashes, open: false, before } })
      const asked = { slashes: slashes + 1, open: true, before }
      patterns.push({ pattern: `${pattern}/`, asked })
    }
  }
  add('', 1, '')
  add('/api', 2, 'api/')
  return patterns
}

/** Nothing of ours lies deeper. */
const SEGMENTS_MAX = 8

/** The path is not what was sent. */
export function isResolved(path: string, { slashes, open }: AskedPath): boolean {
  let found = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) found++
  return found !== slashes || path.endsWith('/') !== open
}

/** The same, to the letter; `segments` are those of the pattern that matched. */
export function isRespelled(
  path: string,
  { before }: AskedPath,
  segments: Readonly<Record<string, string>>,
): boolean {
  const sent = before + Object.values(segments).join('/')
  try {
    return decodeURIComponent(path).replace(/^\/|\/$/g, '') !== sent
  } catch {
    // A broken escape names nothing.
    return true
  }
}
