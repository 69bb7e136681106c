/** An address without its user and password, which go into a header instead. */
export function withoutCredentials(
  address: string,
  given: Readonly<Record<string, string>>,
): { url: string; headers: Record<string, string> } {
  const headers: Record<string, string> = { ...given }
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, headers }
}
