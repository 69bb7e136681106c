type Page<Item, Cursor> = { items: readonly Item[]; next?: Cursor | undefined }

export async function readPages<Item, Cursor>(
  limit: number,
  pageMax: number,
  read: (size: number, cursor?: Cursor) => Promise<Page<Item, Cursor>>,
): Promise<Item[]> {
  const all: Item[] = []
  let cursor: Cursor | undefined
  while (all.length < limit) {
    const { items, next } = await read(Math.min(pageMax, limit - all.length), cursor)
    all.push(...items)
    if (next === undefined) break
    cursor = next
  }
  return all.slice(0, limit)
}
