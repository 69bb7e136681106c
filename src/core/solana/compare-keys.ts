/** Below zero when `a` comes first: by their bytes, as nodes sort, not by their texts. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] as number) - (b[at] as number)
    if (difference !== 0) return difference
  }
  return 0
}
