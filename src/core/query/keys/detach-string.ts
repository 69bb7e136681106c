/**
 * A copy with memory of its own. A slice keeps the whole string it was cut from in memory, so
 * that a standing query would hold its 64 KiB for the sake of one address.
 */
export function detachString(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1')
}
