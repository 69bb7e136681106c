export type RpcTarget = { slug: string; key: string }

/** The path, cut by hand: parsing the URL costs more than routing the request. */
export function urlPath(url: string): string {
  const pathStart = url.indexOf('/', hostStart(url))
  const queryStart = url.indexOf('?', pathStart)
  return queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart)
}

/** Without a usable Host header, as in HTTP/1.0, the URL is the bare path. */
function hostStart(url: string): number {
  return url.startsWith('/') ? 0 : url.indexOf('//') + 2
}

/** `/v2/<key>` with the network in the host, or `/<network>/v2/<key>`. */
export function rpcTarget(url: string, path: string, domain: () => string): RpcTarget | null {
  if (path === '/v2' || path.startsWith('/v2/')) {
    const start = hostStart(url)
    return {
      slug: hostSlug(url.slice(start, url.indexOf('/', start)), domain()),
      key: keyOf(path, 4),
    }
  }
  const second = path.indexOf('/', 1)
  if (second < 0 || !path.startsWith('/v2', second)) return null
  const end = second + 3
  if (path.length > end && path[end] !== '/') return null
  return { slug: path.slice(1, second), key: keyOf(path, end + 1) }
}

function keyOf(path: string, start: number): string {
  return path.endsWith('/') ? path.slice(start, -1) : path.slice(start)
}

function hostSlug(host: string, domain: string): string {
  const colon = host.lastIndexOf(':')
  const name = (colon > host.indexOf(']') ? host.slice(0, colon) : host).toLowerCase()
  if (!name.endsWith(`.${domain}`)) return ''
  return name.slice(0, -domain.length - 1)
}

/** A request's path as it was sent, before its dot segments were resolved. */
export type AskedPath = {
  slashes: number
  /** It ends with a slash. */
  open: boolean
  /** The part before the parameters of the router's pattern. */
  prefix: string
}

/** None of our paths is deeper. */
const SEGMENTS_MAX = 8

/** The router has no pattern for three segments, as in `/<network>/v2/<key>`. */
export const UNROUTED: AskedPath = { slashes: 3, open: false, prefix: '' }

export const TOO_DEEP = `${segments(1, SEGMENTS_MAX)}/*`

/**
 * The router's patterns, one for each number of segments. The URL that a handler is shown has its
 * dot segments resolved and its backslashes turned, so that `/x/..%2fmetrics` and the like would
 * slip past a proxy that guards `/metrics`. The pattern that matched tells what was sent.
 *
 * Hot path: the router costs a tenth of a call, so it has no pattern for calls.
 */
export function pathPatterns(): { pattern: string; asked: AskedPath }[] {
  const patterns = [
    { pattern: '/', asked: { slashes: 1, open: true, prefix: '' } },
    ...['api', 'docs'].map((first) => ({
      pattern: `/${first}${segments(2, 3)}`,
      asked: { slashes: 3, open: false, prefix: `${first}/` },
    })),
  ]
  for (let slashes = 1; slashes <= SEGMENTS_MAX; slashes++) {
    const pattern = segments(1, slashes)
    const closed = { slashes, open: false, prefix: '' }
    if (slashes !== UNROUTED.slashes) patterns.push({ pattern, asked: closed })
    const open = { slashes: slashes + 1, open: true, prefix: '' }
    patterns.push({ pattern: `${pattern}/`, asked: open })
  }
  return patterns
}

function segments(first: number, last: number): string {
  let pattern = ''
  for (let at = first; at <= last; at++) pattern += `/:s${at}`
  return pattern
}

/** True when the path is not the one that was sent. Hot path: counts, and builds nothing. */
export function isResolved(path: string, { slashes, open }: AskedPath): boolean {
  let found = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) found++
  return found !== slashes || path.endsWith('/') !== open
}

/** The same, compared in full; `parameters` are those of the pattern that matched. */
export function isRespelled(
  path: string,
  { prefix }: AskedPath,
  parameters: Readonly<Record<string, string>>,
): boolean {
  const sent = prefix + Object.values(parameters).join('/')
  try {
    return decodeURIComponent(path).replace(/^\/|\/$/g, '') !== sent
  } catch {
    // A broken escape names nothing.
    return true
  }
}
