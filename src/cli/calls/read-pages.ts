/** The items of the pages, up to `limit`. */
export async function readPages<Item>(
  pages: AsyncIterable<{ data: readonly Item[] }>,
  limit: number,
): Promise<Item[]> {
  const all: Item[] = []
  for await (const { data } of pages) {
    all.push(...data)
    if (all.length >= limit) break
  }
  return all.slice(0, limit)
}
