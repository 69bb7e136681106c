/**
 * The sums of a map sorted by their keys: two writers that lock the same rows in the same order
 * cannot block each other.
 */
export function inOrder<T>(sums: ReadonlyMap<string, T>): T[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}
