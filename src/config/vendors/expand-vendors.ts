import { fieldName, type JsonPath } from '../../core/json/json-value.ts'
import type { SchemaFault } from '../../core/schema/check-schema.ts'
import { withDefaults } from '../../core/schema/with-defaults.ts'
import { fault } from '../config-checks.ts'
import {
  NETWORK_SCHEMA,
  type NetworkOptions,
  type NetworkValues,
  type UpstreamValues,
  VENDOR_OPTIONS,
} from '../config-network-schema.ts'
import type { ConfigValues } from '../config-schema.ts'
import { KNOWN_NETWORKS } from './known-networks.ts'
import {
  addressesAt,
  networksServed,
  parseVendorAddress,
  type VendorAddress,
  vendorMeant,
} from './vendor-address.ts'

export type ExpandedNetworks = ReturnType<typeof expandVendors>

type Options = Pick<ConfigValues, 'networks' | 'upstreams'>

const NO_ADDRESS = 'must be an http or https address, or the key of a vendor'

type VendorEntry = {
  path: JsonPath
  address: VendorAddress
  name: string
  options: Omit<UpstreamValues, 'name' | 'url'>
}

/**
 * The networks with all their upstreams: keys of vendors become addresses, vendors are added to the
 * networks that they serve, and networks of which only the id is given get the rest.
 */
export function expandVendors(values: Options) {
  const faults: SchemaFault[] = []
  /** The place in the file of each upstream, and of each network, that a vendor brought. */
  const broughtBy = new Map<string, JsonPath>()
  const vendors = readVendors(values, faults)
  const given = values.networks ?? networksOf(vendors, broughtBy)
  const networks = given.flatMap((options, at) => {
    const path = ['networks', at]
    const network = completed(options, path, faults)
    if (!network) return []
    const own = (options.upstreams ?? []).map((upstream, upstreamAt) =>
      withAddresses(network, upstream, [...path, 'upstreams', upstreamAt], faults),
    )
    const added = upstreamsOf(vendors, network, own)
    for (const { name, path: from } of added) broughtBy.set(placeKey(network.id, name), from)
    const upstreams = [...own, ...added.map(({ upstream }) => upstream)]
    if (upstreams.length === 0) faults.push(...fault([...path, 'upstreams'], 'is required'))
    return [{ ...network, upstreams }]
  })
  faults.push(...idleVendors(vendors, networks, broughtBy))
  return { networks, faults, broughtBy }
}

export function placeKey(networkId: string, upstreamName = ''): string {
  return `${networkId} ${upstreamName}`
}

function readVendors({ upstreams = [] }: Options, faults: SchemaFault[]): VendorEntry[] {
  const names = new Set<string>()
  return upstreams.flatMap((entry, at): VendorEntry[] => {
    const isText = typeof entry === 'string'
    const path = isText ? ['upstreams', at] : ['upstreams', at, 'url']
    const address = wholeAddress(isText ? entry : entry.url)
    if (typeof address === 'string') {
      faults.push(...fault(path, address))
      return []
    }
    const full = isText ? withDefaults(VENDOR_OPTIONS, { url: entry }) : entry
    const { url: _, name: given, ...options } = full
    const name = freeName(given ?? address.name, names)
    names.add(name)
    return [{ path: ['upstreams', at], address, name, options: { ...options, sendsOnly: false } }]
  })
}

/** The address of a vendor that says all by itself; a sentence where it does not. */
function wholeAddress(text: string): VendorAddress | string {
  const address = parseVendorAddress(text) ?? 'must be the key of a vendor, such as alchemy://KEY'
  if (typeof address === 'string' || address.vendor.keyed !== 'node_and_key') return address
  const { form } = address.vendor
  return address.node ? address : `must be written as ${form}: a key there is for one node`
}

/** All networks that vendors serve, for a configuration that names none. */
function networksOf(
  vendors: readonly VendorEntry[],
  broughtBy: Map<string, JsonPath>,
): NetworkOptions[] {
  const ids = Object.keys(KNOWN_NETWORKS).filter((id) => {
    const first = vendors.find(({ address }) => networksServed(address).includes(id))
    if (first) broughtBy.set(placeKey(id), first.path)
    return first !== undefined
  })
  return ids.map((id) => withDefaults(NETWORK_SCHEMA, { id }))
}

/** A network of which the kind is not said is one that is known by its id. */
function completed(
  options: NetworkOptions,
  path: JsonPath,
  faults: SchemaFault[],
): NetworkValues | null {
  const { kind } = options
  if (kind !== undefined) return { ...options, kind, upstreams: [] }
  const known = Object.hasOwn(KNOWN_NETWORKS, options.id) ? KNOWN_NETWORKS[options.id] : undefined
  if (known) return { ...known, ...options, kind: known.kind, upstreams: [] }
  faults.push(...fault([...path, 'kind'], `is required: ${options.id} is not known by itself`))
  return null
}

function withAddresses(
  network: NetworkValues,
  upstream: UpstreamValues,
  path: JsonPath,
  faults: SchemaFault[],
): UpstreamValues {
  const address = parseVendorAddress(upstream.url)
  if (address === null) {
    const meant = vendorMeant(upstream.url)
    if (meant) faults.push(...fault([...path, 'url'], `${NO_ADDRESS}; did you mean ${meant}://?`))
    return upstream
  }
  if (typeof address === 'string') {
    faults.push(...fault([...path, 'url'], address))
    return upstream
  }
  const id = knownIdOf(network)
  const addresses = id === null ? null : addressesAt(address, id)
  if (addresses) return { ...upstream, url: addresses.url, ws: upstream.ws ?? addresses.ws }
  const served = networksServed(address).join(', ')
  const words = `names ${address.name}, of which no address for ${network.id} is known`
  faults.push(...fault([...path, 'url'], `${words}; those of ${served} are`))
  return upstream
}

/** The network under which the tables know it: by its chain, whatever it is called here. */
function knownIdOf({ id, kind, chainId, genesisHash }: NetworkValues): string | null {
  const isSame = (known: (typeof KNOWN_NETWORKS)[string], knownId: string) => {
    if (known.kind !== kind) return false
    if (kind === 'evm') return known.chainId === chainId
    return genesisHash === undefined ? knownId === id : known.genesisHash === genesisHash
  }
  const found = Object.entries(KNOWN_NETWORKS).find(([knownId, known]) => isSame(known, knownId))
  return found?.[0] ?? null
}

type Added = { name: string; path: JsonPath; upstream: UpstreamValues }

function upstreamsOf(
  vendors: readonly VendorEntry[],
  network: NetworkValues,
  own: readonly UpstreamValues[],
): Added[] {
  const id = knownIdOf(network)
  const names = new Set(own.map(({ name }) => name))
  return vendors.flatMap((entry): Added[] => {
    const addresses = id === null ? null : addressesAt(entry.address, id)
    if (!addresses) return []
    const name = freeName(entry.name, names)
    names.add(name)
    const { path, options } = entry
    // The key of a vendor has one budget, whichever network it is used for.
    const budget = options.budget && { account: entry.name, ...options.budget }
    const upstream = { ...options, ...addresses, name }
    return [{ name, path, upstream: budget ? { ...upstream, budget } : upstream }]
  })
}

/** A vendor that adds nothing is a mistake that nobody would notice. */
function idleVendors(
  vendors: readonly VendorEntry[],
  networks: readonly NetworkValues[],
  broughtBy: ReadonlyMap<string, JsonPath>,
): SchemaFault[] {
  const used = new Set([...broughtBy.values()].map(fieldName))
  const idle = vendors.filter(({ path }) => !used.has(fieldName(path)))
  if (networks.length === 0) return []
  return idle.flatMap(({ path, address }) =>
    fault(
      path,
      `names ${address.name}, which serves none of the networks that are configured; it serves ` +
        networksServed(address).join(', '),
    ),
  )
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  let number = 2
  while (taken.has(`${name}-${number}`)) number++
  return `${name}-${number}`
}
