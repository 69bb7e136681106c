import { Rejection } from '../../../core/errors.ts'

export type OwnOrigins = {
  publicUrl: string
  /** A proxy in front says which address the client has asked. */
  trustProxy: boolean
}

type Asked = { method: string; headers: Headers }

/** The values of Sec-Fetch-Site where no page of another origin asks; no page can write it. */
const OWN_SITES: ReadonlySet<string | null> = new Set(['same-origin', 'none', null])

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** A host with or without a port; an IPv6 address is in brackets. */
const HOST = /^[a-z0-9._-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i

const FOREIGN =
  'A session is for the pages of this service itself, and this request comes from elsewhere. If it ' +
  'comes from them, set publicUrl to their address, and trustProxy behind a proxy.'

/**
 * Refuses a request that a page of another origin may have made a browser send. A change needs
 * proof that it comes from our own: a browser gives one by `Origin`, or by `Sec-Fetch-Site`.
 */
export function refuseForeign(api: OwnOrigins, asked: Asked): Rejection | null {
  const isSameOrigin = asked.headers.get('sec-fetch-site') === 'same-origin'
  const isProven = asked.headers.has('origin') || isSameOrigin
  if (!SAFE_METHODS.has(asked.method) && !isProven) return new Rejection('forbidden', FOREIGN)
  return refuseOtherPages(api, asked)
}

/** Refuses what a page of another origin has sent, and lets through what no browser sends. */
export function refuseOtherPages(api: OwnOrigins, { headers }: Asked): Rejection | null {
  const origin = headers.get('origin')
  const isOwn = origin === null || ownOrigins(api, headers).includes(origin)
  const isOwnSite = OWN_SITES.has(headers.get('sec-fetch-site'))
  return isOwn && isOwnSite ? null : new Rejection('forbidden', FOREIGN)
}

/** Whether the client has asked over TLS, which ends at a proxy. */
export function isAskedOverTls(api: OwnOrigins, headers: Headers): boolean {
  return api.publicUrl.startsWith('https:') || forwarded(api, headers, 'proto') === 'https'
}

function ownOrigins(api: OwnOrigins, headers: Headers): string[] {
  const scheme = forwarded(api, headers, 'proto') === 'https' ? 'https' : 'http'
  const host = forwarded(api, headers, 'host') ?? headers.get('host') ?? ''
  const asked = HOST.test(host) ? [originOf(`${scheme}://${host}`)] : []
  return [originOf(api.publicUrl), ...asked].filter((origin) => origin !== null)
}

/** The value that the proxy in front has added last, which nobody else can write. */
function forwarded(api: OwnOrigins, headers: Headers, name: 'proto' | 'host'): string | null {
  if (!api.trustProxy) return null
  return headers.get(`x-forwarded-${name}`)?.split(',').at(-1)?.trim().toLowerCase() || null
}

/** As a browser writes it: without the port that the scheme has by default. */
function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
