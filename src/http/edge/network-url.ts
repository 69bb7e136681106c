type Needs = { publicUrl: string }

/** `http://localhost:8080/eth-mainnet/v2/<key>`: the form that works with any host name. */
export function networkPathUrl({ publicUrl }: Needs, slug: string, key: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/${slug}/v2/${key}`
}

/**
 * `http://eth-mainnet.localhost:8080/v2/<key>`; null where the host is an
 * address, which has no names below it.
 */
export function networkHostUrl({ publicUrl }: Needs, slug: string, key: string): string | null {
  const { protocol, hostname, host } = new URL(publicUrl)
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return isAddress ? null : `${protocol}//${slug}.${host}/v2/${key}`
}
