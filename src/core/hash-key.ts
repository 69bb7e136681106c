/** SHA-256 in lower-case hex: how keys and tokens are looked up without being kept. */
export function hashKey(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
