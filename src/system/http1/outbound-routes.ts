import { assert } from '../../core/errors.ts'
import type { OutboundRequest } from '../../ports/outbound.ts'
import type { HeadMemo } from './http1-head.ts'

/** Connections to one host, the idle ones on a stack: the warmest is used first. */
export type Origin<Connection> = {
  hostname: string
  port: number
  idle: Connection[]
  memo: HeadMemo
  /** Nothing finds it any more, so it keeps no connection. */
  retired: boolean
}

/** Where a request goes, and the start of its message. */
export type Route<Connection> = { url: string; home: Origin<Connection>; start: string }

const ORIGINS_MAX = 1000

/** Where a body ends is said by whoever sends it, and nobody else. */
const FRAMING_HEADERS = new Set(['content-length', 'transfer-encoding'])

/** Finds the route of a request, and makes it but once for an address. */
export function openRoutes<Connection extends { end(): unknown }>() {
  const origins = new Map<string, Origin<Connection>>()
  // A caller keeps one object of headers for an address, so that object finds its route.
  const routes = new WeakMap<object, Route<Connection>>()

  return (request: OutboundRequest): Route<Connection> => {
    const known = routes.get(request.headers)
    if (known?.url === request.url && !known.home.retired) return known
    const url = new URL(request.url)
    const start = startOf(url, request.headers)
    const route = { url: request.url, home: originOf(origins, url), start }
    routes.set(request.headers, route)
    return route
  }
}

function startOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const isHostGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'host')
  const host = isHostGiven ? '' : `host: ${url.host}\r\n`
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${host}${headerLines(headers)}`
}

/** Headers as they stand in a message. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let text = ''
  for (const name of Object.keys(headers)) {
    if (FRAMING_HEADERS.has(name.toLowerCase())) continue
    const line = `${name}: ${headers[name]}`
    assert(!/[\r\n\0]/.test(line), 'a header is one line')
    text += `${line}\r\n`
  }
  return text
}

function originOf<Connection extends { end(): unknown }>(
  origins: Map<string, Origin<Connection>>,
  url: URL,
): Origin<Connection> {
  const known = origins.get(url.host)
  if (known) return known
  if (origins.size >= ORIGINS_MAX) retireAll(origins)
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  const memo = { text: '', head: null }
  const home = { hostname, port: Number(url.port || 80), idle: [], memo, retired: false }
  origins.set(url.host, home)
  return home
}

/** Forgotten origins must not leave open connections behind that nobody will use. */
function retireAll<Connection extends { end(): unknown }>(
  origins: Map<string, Origin<Connection>>,
): void {
  for (const home of origins.values()) {
    home.retired = true
    for (const connection of home.idle.splice(0)) connection.end()
  }
  origins.clear()
}
