import { isIPv6 } from 'node:net'
import { CENTI_PER_CU } from '../core/billing/plan.ts'
import { fieldName, type JsonPath } from '../core/json/json-value.ts'
import { defaultSlug, type UpstreamSpec } from '../core/network.ts'
import type { SchemaFault } from '../core/schema/check-schema.ts'
import type { NetworkValues } from './config-network-schema.ts'
import type { ConfigValues } from './config-schema.ts'

export type ListenAddress = { host: string; port: number }

const PORT_MAX = 65_535

/** First parts of our own paths; a network of this name could not be reached, or would hide one. */
const RESERVED_SLUGS = new Set([
  'api',
  'assets',
  'docs',
  'healthz',
  'metrics',
  'readyz',
  'settings',
  'v2',
])

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Checks the rules that a schema cannot say, on values that have passed it. */
export function checkValues(values: ConfigValues): SchemaFault[] {
  const networks = values.networks ?? []
  return [
    ...checkListen(values.listen, ['listen']),
    ...checkListen(values.metrics.listen, ['metrics', 'listen']),
    ...checkPublicUrl(values.publicUrl),
    ...notBuiltYet(values),
    ...repeats(
      networks.map(({ id }) => id),
      (at) => ['networks', at, 'id'],
    ),
    ...repeats(networks.map(slugOf), (at) => ['networks', at, 'slug']),
    ...networks.flatMap((network, at) => checkNetwork(network, ['networks', at])),
    ...checkPrices(values),
  ]
}

function checkListen(text: string | undefined, path: JsonPath): SchemaFault[] {
  if (text === undefined || parseListen(text)) return []
  return fault(path, 'must be host:port or [IPv6]:port, such as 127.0.0.1:8080')
}

/** `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`. */
export function parseListen(text: string): ListenAddress | undefined {
  const found = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text)
  if (!found) return undefined
  const [, ipv6, name, digits] = found
  const port = Number(digits)
  if (port > PORT_MAX || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined
  return { host: ipv6 ?? name!, port }
}

export function slugOf(network: NetworkValues): string {
  return network.slug ?? defaultSlug(network.id)
}

function fault(path: JsonPath, said: string): SchemaFault[] {
  return [{ path: [...path], message: `${fieldName(path)} ${said}` }]
}

/** These options are part of the file's form; no version so far does what they ask for. */
function notBuiltYet(values: ConfigValues): SchemaFault[] {
  const asked = (['database', 'nats'] as const).filter((option) => values[option] !== undefined)
  return asked.flatMap((option) =>
    fault([option], 'cannot be used: running on many machines is not built yet; leave it out'),
  )
}

function checkPublicUrl(text: string | undefined): SchemaFault[] {
  if (text === undefined) return []
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    return fault(['publicUrl'], 'must be an http or https address')
  }
  const bare = url.pathname === '/' && url.search + url.hash + url.username + url.password === ''
  return bare ? [] : fault(['publicUrl'], 'must be a scheme, a host and a port, nothing more')
}

function repeats(names: readonly string[], pathAt: (at: number) => JsonPath): SchemaFault[] {
  const firstAt = new Map<string, number>()
  return names.flatMap((name, at) => {
    const first = firstAt.get(name)
    firstAt.set(name, first ?? at)
    if (first === undefined) return []
    return fault(pathAt(at), `repeats ${name}, which ${fieldName(pathAt(first))} has already`)
  })
}

function checkNetwork(network: NetworkValues, path: JsonPath): SchemaFault[] {
  const faults: SchemaFault[] = []
  const slug = slugOf(network)
  if (RESERVED_SLUGS.has(slug)) {
    faults.push(...fault([...path, 'slug'], `must not be ${slug}: a path of ours has that name`))
  }
  if (!SLUG.test(slug)) {
    faults.push(...fault([...path, 'slug'], `is required, as ${network.id} cannot stand in a URL`))
  }
  if (network.kind === 'evm' && network.chainId === undefined) {
    faults.push(...fault([...path, 'chainId'], 'is required for an evm network'))
  }
  if (network.kind === 'evm' && network.genesisHash !== undefined) {
    faults.push(...fault([...path, 'genesisHash'], 'is only for solana networks'))
  }
  if (network.kind === 'solana' && network.chainId !== undefined) {
    faults.push(...fault([...path, 'chainId'], 'is only for evm networks'))
  }
  const names = network.upstreams.map(({ name }) => name)
  faults.push(...repeats(names, (at) => [...path, 'upstreams', at, 'name']))
  for (const [at, upstream] of network.upstreams.entries()) {
    faults.push(...checkUpstream(upstream, [...path, 'upstreams', at]))
  }
  return faults
}

/** The addresses may hold credentials, so nothing of them is repeated. */
function checkUpstream(upstream: UpstreamSpec, path: JsonPath): SchemaFault[] {
  const faults = checkAddress(upstream.url, /^https?:$/, 'an http or https', [...path, 'url'])
  if (upstream.ws === undefined) return faults
  return [...faults, ...checkAddress(upstream.ws, /^wss?:$/, 'a ws or wss', [...path, 'ws'])]
}

function checkAddress(
  address: string,
  protocols: RegExp,
  form: string,
  path: JsonPath,
): SchemaFault[] {
  const url = URL.parse(address)
  if (!url || !protocols.test(url.protocol)) return fault(path, `must be ${form} address`)
  if (isPercentEncoded(url.username) && isPercentEncoded(url.password)) return []
  return fault(path, 'must have a user and password with each % written as %25')
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Finer prices than a hundredth would be rounded in silence. */
function checkPrices(values: ConfigValues): SchemaFault[] {
  return Object.entries(values.prices).flatMap(([method, price]) =>
    Object.entries(price)
      .filter(([, cu]) => Math.abs(cu * CENTI_PER_CU - Math.round(cu * CENTI_PER_CU)) > 1e-6)
      .flatMap(([name]) => fault(['prices', method, name], 'must have at most two decimals')),
  )
}
