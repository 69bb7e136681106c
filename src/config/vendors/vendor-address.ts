import { closestName } from '../../core/closest-name.ts'
import { VENDORS, type Vendor } from './vendors.ts'

/** The address of a vendor, taken apart. Its key is a secret. */
export type VendorAddress = {
  name: string
  vendor: Vendor
  key: string
  endpoint: string
  /** The vendor's word for the one network that the key is for; null: for all that it serves. */
  node: string | null
}

const SCHEME = /^([a-z]+):\/\/(.*)$/s
const KEY = /^[A-Za-z0-9_-]{1,256}$/
const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Null where the text is no vendor's address; a sentence where it is one and wrong, which repeats
 * nothing of it but the vendor.
 */
export function parseVendorAddress(text: string): VendorAddress | string | null {
  const [, name = '', rest = ''] = SCHEME.exec(text) ?? []
  const vendor = Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined
  if (!vendor) return null
  const parts = rest.replace(/\/$/, '').split('/')
  const key = parts.at(-1) ?? ''
  const front = parts.length === 2 ? (parts[0] ?? '') : null
  if (parts.length > 2 || !KEY.test(key) || (front !== null && !HOST_LABEL.test(front))) {
    return wrongForm(vendor)
  }
  if (vendor.keyed === 'key' && front !== null) return wrongForm(vendor)
  if (vendor.keyed === 'endpoint_and_key' && front === null) return wrongForm(vendor)
  const address = { name, vendor, key, endpoint: front ?? '', node: null }
  if (vendor.keyed !== 'node_and_key') return address
  const isKnown = front === null || Object.values(vendor.networks).includes(front)
  if (isKnown) return { ...address, node: front }
  return `must name a node of ${name} that is known: ${Object.values(vendor.networks).join(', ')}`
}

/** The vendor whose scheme a text has, but for a slip; undefined where it is none's. */
export function vendorMeant(text: string): string | undefined {
  const [, scheme = ''] = SCHEME.exec(text) ?? []
  return closestName(scheme, Object.keys(VENDORS))
}

/** The networks that a key is good for, by our ids. */
export function networksServed({ vendor, node }: VendorAddress): string[] {
  const served = Object.entries(vendor.networks)
  return served.filter(([, word]) => node === null || word === node).map(([id]) => id)
}

/** The addresses of a network at a vendor; null where it does not serve it. */
export function addressesAt(
  { vendor, key, endpoint, node }: VendorAddress,
  networkId: string,
): { url: string; ws: string } | null {
  const network = vendor.networks[networkId]
  if (network === undefined || (node !== null && node !== network)) return null
  const filled = (template: string) =>
    template
      .replace('{network}', () => network)
      .replace('{endpoint}', () => endpoint)
      .replace('{key}', () => key)
  return { url: filled(vendor.https), ws: filled(vendor.wss) }
}

function wrongForm({ form }: Vendor): string {
  return `must be written as ${form}, with letters, digits, dashes and underscores`
}
