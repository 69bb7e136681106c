/**
 * A copy that stands alone. What is cut from a text keeps all of that text in memory,
 * so that a standing query would hold its 64 KiB for the sake of one address.
 */
export function ownText(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1')
}
