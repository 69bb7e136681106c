/** Every network has two addresses: one that ends in its name, and one on a host of its own. */
export type AddressForm = 'path' | 'host'

type Known = {
  publicUrl: string
  /** The address by path, as the service tells it; absent where the network is not served. */
  url: string | undefined
  slug: string | undefined
  key: string
}

/** An address without its key, cut around the network's name; or why there is none. */
type AddressParts = { before: string; slug: string; middle: string } | { reason: string }

export function addressParts(known: Known, form: AddressForm): AddressParts {
  const { url, slug, key } = known
  if (url === undefined) return { reason: 'is not configured here any more' }
  if (form === 'host') return hostParts(known)
  const end = `/v2/${key}`
  const whole = url.slice(0, -end.length)
  const at = slug ? whole.lastIndexOf(slug) : whole.lastIndexOf('/') + 1
  return { before: whole.slice(0, at), slug: whole.slice(at), middle: '/v2/' }
}

function hostParts({ publicUrl, slug = '' }: Known): AddressParts {
  const base = URL.parse(publicUrl)
  if (!base) return { reason: 'The public address is not known' }
  const isAddress = /^[\d.]+$/.test(base.hostname) || base.hostname.startsWith('[')
  if (isAddress) return { reason: `${base.hostname} is an address, which has no names below it` }
  return { before: `${base.protocol}//`, slug, middle: `.${base.host}/v2/` }
}

export function addressWith(url: string, key: string, inPlaceOfKey: string): string {
  return `${url.slice(0, -key.length)}${inPlaceOfKey}`
}
