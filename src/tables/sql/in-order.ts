/** The sums in the order of their keys: writers that lock rows in one order never deadlock. */
export function inOrder<T>(sums: ReadonlyMap<string, T>): T[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}
