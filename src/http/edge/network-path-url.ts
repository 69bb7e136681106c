type Needs = { publicUrl: string }

/** `http://localhost:8080/eth-mainnet/v2/<key>`: the form that works with any host name. */
export function networkPathUrl({ publicUrl }: Needs, slug: string, key: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/${slug}/v2/${key}`
}
