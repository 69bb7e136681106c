export type OriginRule = {
  /** Null: `http` and `https`. */
  scheme: string | null
  host: string
  /** The host's subdomains, at any depth, and not the host itself. */
  isWildcard: boolean
  /** Null: the usual port of the scheme, or any where there is no scheme. */
  port: number | null
}

/** Twice what a host name may have: a longer text is no origin. */
const ORIGIN_CHARS_MAX = 512

const RULE =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@\\*[\]%]+)(?::(\d{1,5}))?\/?$/i

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s:/?#@\\*[\]%]+)(?::(\d{1,5}))?$/

const USUAL_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

const PORT_MAX = 65_535

/**
 * `https://app.example.com`, `https://*.example.com`, `*.example.com` or `app.example.com`; null
 * for everything else. Names are brought to the form in which browsers send them.
 */
export function parseOriginRule(text: string): OriginRule | null {
  if (text.length > ORIGIN_CHARS_MAX) return null
  const [, scheme, wildcard, hostText, portText] = RULE.exec(text) ?? []
  if (hostText === undefined) return null
  const host = asciiHost(hostText)
  const port = portText === undefined ? null : Number(portText)
  if (host === null || (port !== null && (port < 1 || port > PORT_MAX))) return null
  const isWildcard = wildcard !== undefined
  // No address has subdomains.
  if (isWildcard && /^\[|^[\d.]+$/.test(host)) return null
  const name = scheme?.toLowerCase() ?? null
  return { scheme: name, host, isWildcard, port: namedPort(name, port) }
}

export function originRuleText({ scheme, host, isWildcard, port }: OriginRule): string {
  const before = scheme === null ? '' : `${scheme}://`
  return `${before}${isWildcard ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`
}

/** True when a rule allows an `Origin` header. `null`, the origin of a sandbox, fits no rule. */
export function allowsOrigin(rules: readonly OriginRule[], origin: string): boolean {
  if (origin.length > ORIGIN_CHARS_MAX) return false
  const [, scheme, host, portText] = ORIGIN.exec(origin.toLowerCase()) ?? []
  if (scheme === undefined || host === undefined) return false
  const port = namedPort(scheme, portText === undefined ? null : Number(portText))
  return rules.some(
    (rule) =>
      fitsHost(rule, host) &&
      (rule.scheme === null ? fitsAnyScheme(rule, scheme, port) : fitsScheme(rule, scheme, port)),
  )
}

function fitsHost({ host: wanted, isWildcard }: OriginRule, host: string): boolean {
  if (!isWildcard) return host === wanted
  return host.endsWith(`.${wanted}`) && host.length > wanted.length + 1
}

function fitsScheme(rule: OriginRule, scheme: string, port: number | null): boolean {
  return rule.scheme === scheme && rule.port === port
}

function fitsAnyScheme(rule: OriginRule, scheme: string, port: number | null): boolean {
  const usual = USUAL_PORTS[scheme]
  if (usual === undefined) return false
  return rule.port === null || rule.port === (port ?? usual)
}

/** Browsers leave the usual port of a scheme away. */
function namedPort(scheme: string | null, port: number | null): number | null {
  return scheme !== null && port === USUAL_PORTS[scheme] ? null : port
}

function asciiHost(text: string): string | null {
  const url = URL.parse(`http://${text}/`)
  return url === null || url.hostname === '' ? null : url.hostname
}
