/** 128 bits: no two texts will ever meet. */
const TAG_CHARS = 32

/** The strong entity tag of a text. */
export function entityTag(text: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return `"${hash.slice(0, TAG_CHARS)}"`
}

/** True when `If-Match` has the tag, or a star. A weak tag matches nothing: RFC 9110, 13.1.1. */
export function isMatched(ifMatch: string, tag: string): boolean {
  return ifMatch === '*' || tagsOf(ifMatch).includes(tag)
}

/** True when `If-None-Match` has the tag, weak or not, or a star: RFC 9110, 13.1.2. */
export function isKnown(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch === '*' || tagsOf(ifNoneMatch).some((one) => one.replace(/^W\//, '') === tag)
}

/** Tags may have commas in their quotes. */
function tagsOf(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}
